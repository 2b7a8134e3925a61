"""What a run ran on: facts of the machine, of which most stay, and what changes from run to run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from leadline.launch.machine import machine
from leadline.mpi import Library

TITLES = {
    "cpu": "CPU",
    "cores": "Cores",
    "kernel": "Kernel",
    "virtualisation": "Virtualisation",
    "governor": "Governor",
    "container": "Container",
}


def facts(library: Library, settings: Mapping[str, str]) -> dict[str, str | None]:
    """Under the titles of `leadline compare`. settings: of the environment that a run is given."""
    found: dict[str, str | None] = {
        "MPI library": f"{library.kind.title} {library.version}".strip(),
        "Library path": str(library.libdir),
    }
    return found | of_machine() | {name: settings[name] for name in sorted(settings)}


def of_machine() -> dict[str, str | None]:
    known = machine()
    return {title: None if known.get(key) is None else str(known[key]) for key, title in TITLES.items()} | of_host()


def of_host() -> dict[str, str | None]:
    """What the recorder does not keep."""
    return {
        "Host": os.uname().nodename,
        "Usable cores": str(len(os.sched_getaffinity(0))),
        "NUMA nodes": str(len([*Path("/sys/devices/system/node").glob("node[0-9]*")]) or "") or None,
        "Maximum clock": _text(Path("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"), " kHz"),
        "Mitigations": _mitigations(),
        "Core limit": _limit("cpu.max"),
        "Memory limit": _limit("memory.max"),
    }


def _mitigations() -> str | None:
    """Those that cost time, by vulnerability."""
    folder = Path("/sys/devices/system/cpu/vulnerabilities")
    found = {file.name: _text(file) or "" for file in sorted(folder.glob("*"))} if folder.is_dir() else {}
    words = [f"{name}: {text}" for name, text in found.items() if text.startswith("Mitigation")]
    return "; ".join(words) or ("none" if found else None)


def _limit(name: str) -> str | None:
    """Of the control group that this process is in."""
    line = _text(Path("/proc/self/cgroup")) or ""
    path = line.rpartition("::")[2].splitlines()[0].strip() if "::" in line else ""
    places = (Path("/sys/fs/cgroup") / path.lstrip("/") / name, Path("/sys/fs/cgroup") / name)
    return next((text for place in places if (text := _text(place))), None)


def _text(path: Path, unit: str = "") -> str | None:
    try:
        text = path.read_text(errors="replace").strip()
    except OSError:
        return None
    return text + unit if text else None


@dataclass(frozen=True)
class Busy:
    """load: processes that want a core, averaged over a minute.   ticks: of all cores;   stolen: by the hypervisor."""

    load: float
    ticks: int
    stolen: int

    @staticmethod
    def now() -> Busy:
        line = (_text(Path("/proc/stat")) or "").splitlines()
        ticks = [int(word) for word in line[0].split()[1:9]] if line and line[0].startswith("cpu ") else []
        try:
            load = os.getloadavg()[0]
        except OSError:
            load = 0.0
        return Busy(load, sum(ticks), ticks[7] if len(ticks) > 7 else 0)

    def stolen_since(self, before: Busy) -> float:
        """The share of the time that the hypervisor gave to others."""
        return (self.stolen - before.stolen) / max(self.ticks - before.ticks, 1)
