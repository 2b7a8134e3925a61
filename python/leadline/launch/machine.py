"""What a run's times depend on besides the program: processor, kernel, virtualisation. Of the host that started it."""

from __future__ import annotations

import os
import platform
from pathlib import Path

HYPERVISORS = {"kvm": "KVM", "vmware": "VMware", "microsoft": "Hyper-V", "xen": "Xen", "qemu": "QEMU"}
THREADS = ("OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES")


def machine() -> dict[str, object]:
    """Takes a millisecond: it reads a few files of /proc and /sys. Unknown facts are None."""
    cpu = _text(Path("/proc/cpuinfo"))
    fields = dict(_fields(cpu))
    return {
        "cpu": fields.get("model name") or fields.get("Model") or fields.get("cpu") or platform.machine() or None,
        "architecture": platform.machine() or None,
        "cores": os.cpu_count(),
        "kernel": f"{platform.system()} {platform.release()}",
        "virtualisation": _virtualisation(fields.get("flags", "")),
        "container": _container(),
        "governor": _text(Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")).strip() or None,
        "threads": {name: os.environ[name] for name in THREADS if name in os.environ},
    }


def _fields(cpuinfo: str) -> list[tuple[str, str]]:
    """Of the first processor."""
    lines = (line.partition(":") for line in cpuinfo.split("\n\n")[0].splitlines())
    return [(name.strip(), value.strip()) for name, colon, value in lines if colon]


def _virtualisation(flags: str) -> str | None:
    """The hypervisor's name, "a virtual machine" if only that is known, "none"; None if nothing can be said."""
    maker = " ".join(
        _text(Path("/sys/class/dmi/id") / name) for name in ("sys_vendor", "product_name", "bios_vendor")
    ).lower()
    hypervisor = _text(Path("/sys/hypervisor/type")).strip().lower()
    named = next((title for word, title in HYPERVISORS.items() if word in f"{maker} {hypervisor}"), None)
    if "hypervisor" in flags.split():
        return named or "a virtual machine"
    if named:
        return named
    return "none" if flags else None


def _container() -> str | None:
    if Path("/.dockerenv").exists():
        return "Docker"
    if Path("/run/.containerenv").exists():
        return "Podman"
    return (os.environ.get("APPTAINER_NAME") and "Apptainer") or (os.environ.get("SINGULARITY_NAME") and "Singularity")


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
