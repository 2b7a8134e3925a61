"""Packages that must come from Debian or Ubuntu. They are installed for root, and named to ordinary users."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dev.paths import BUILD
from dev.steps import StepFailed, say, step


@dataclass(frozen=True)
class Prerequisite:
    """A required command or file, the packages that provide it, and the features that are left out without it."""

    present: Callable[[], bool]
    packages: tuple[str, ...]
    left_out: str


def command(*names: str) -> Callable[[], bool]:
    return lambda: all(shutil.which(name) for name in names)


def _python_headers() -> bool:
    return (Path(sysconfig.get_path("include")) / "Python.h").exists()


def library(name: str) -> Callable[[], bool]:
    return lambda: name in subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False).stdout


def _modules() -> bool:
    """Lmod or Environment Modules, which exclude each other in Debian."""
    return any(Path(place).exists() for place in ("/usr/share/lmod", "/usr/share/modules/init/bash"))


BUILDING = (
    Prerequisite(command("g++", "gcc"), ("g++", "gcc"), "there is no C++ compiler, and nothing works without"),
    Prerequisite(_python_headers, ("python3-dev",), "Python.h is not there, which the build of the module needs"),
)

TESTING = (
    Prerequisite(
        command("mpicc.mpich", "mpiexec.mpich"), ("mpich", "libmpich-dev"), "tests with Debian's MPICH (debian-mpich)"
    ),
    Prerequisite(
        command("mpicc.openmpi", "mpiexec.openmpi"),
        ("openmpi-bin", "libopenmpi-dev"),
        "tests with Debian's Open MPI (debian-openmpi)",
    ),
    Prerequisite(library("libnetcdf.so"), ("libnetcdf-dev",), "tests of NetCDF files (field I/O, opatm)"),
    Prerequisite(library("libpnetcdf.so"), ("libpnetcdf-dev",), "tests of files that all ranks read and write"),
    Prerequisite(command("gfortran"), ("gfortran",), "tests of Fortran programs"),
    Prerequisite(command("hpcc"), ("hpcc",), "the HPCC test"),
    Prerequisite(library("libjemalloc.so.2"), ("libjemalloc2",), "tests with jemalloc in the program"),
    Prerequisite(library("libtcmalloc_minimal.so.4"), ("libtcmalloc-minimal4",), "tests with tcmalloc in the program"),
    Prerequisite(
        command("srun", "slurmctld", "slurmd", "munged", "sshd", "ip"),
        ("slurm-wlm", "munge", "openssh-server", "openssh-client", "iproute2"),
        "tests under a real Slurm, and over ssh",
    ),
    Prerequisite(_modules, ("lmod",), "tests of the module files that an installation brings"),
    Prerequisite(command("strace"), ("strace",), "the test that a command reads each trace once"),
    Prerequisite(command("clang++"), ("clang",), "fuzzing the trace reader"),
    Prerequisite(command("chromium"), ("chromium", "fonts-liberation"), "tests of the HTML page in a browser"),
)


# Without it everything works, but HTML pages have fewer charts.
CHARTS = (Prerequisite(command("npm"), ("npm",), "charts of HTML pages that need uPlot, which comes from npm"),)


CLANG_FUZZES = BUILD / "clang-can-fuzz"  # of the clang that this was tried with


def _clang_can_fuzz() -> bool:
    source = 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
    words = ["clang++", "-fsanitize=fuzzer,address,undefined", "-x", "c++", "-", "-o", "/dev/null"]
    return subprocess.run(words, input=source.encode(), capture_output=True, check=False).returncode == 0


def _clang_runtime() -> Prerequisite:
    """clang's run-time library for sanitizers: a package of its own in Debian, and named for clang's version."""
    version = subprocess.run(["clang++", "-dumpversion"], capture_output=True, text=True, check=False).stdout
    package = f"libclang-rt-{version.partition('.')[0]}-dev"
    return Prerequisite(_clang_can_fuzz, (package,), "fuzzing the trace reader with clang")


def provide_for_tests() -> list[Prerequisite]:
    """provide(), for everything that the tests use."""
    missing = provide(TESTING)
    clang = shutil.which("clang++")
    if clang is None or _was_able_to_fuzz(clang):
        return missing
    without = provide((_clang_runtime(),))
    if not without:
        CLANG_FUZZES.write_text(_identity(clang))
    return missing + without


def _was_able_to_fuzz(clang: str) -> bool:
    """Trying it takes half a second, which every `./dev test FILE` would wait for."""
    return CLANG_FUZZES.exists() and CLANG_FUZZES.read_text() == _identity(clang)


def _identity(program: str) -> str:
    found = Path(program).resolve()
    return f"{found} {found.stat().st_mtime_ns}"


def provide(wanted: tuple[Prerequisite, ...]) -> list[Prerequisite]:
    """Install missing packages if we may. Returns those still missing, after saying what to do about them."""
    missing = [item for item in wanted if not item.present()]
    if not missing:
        return []
    packages = [name for item in missing for name in item.packages]
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _apt_install(packages)
        missing = [item for item in missing if not item.present()]
    if missing:
        names = " ".join(name for item in missing for name in item.packages)
        say(f"missing here; to have it, as root: apt-get install {names}")
    return missing


def _apt_install(packages: list[str]) -> None:
    environ = {"DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "--no-install-recommends"]
    try:
        step("apt-get update", ["apt-get", "update"], environ)
        step(f"installing {' '.join(packages)}", [*install, *packages], environ)
        return
    except StepFailed as failure:
        say(str(failure))
    for name in packages:  # one that cannot be had must not keep the others away
        try:
            step(f"installing {name}", [*install, name], environ)
        except StepFailed as failure:
            say(str(failure))
