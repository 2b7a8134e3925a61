"""The MPI libraries the tests run on."""

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
NAMES = ("mpich", "openmpi", "debian-mpich", "debian-openmpi")
OPENMPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}


@dataclass(frozen=True)
class Library:
    """One MPI library: how to compile for it and how to start programs with it."""

    name: str
    family: str
    mpicc: str
    mpicxx: str
    mpifort: str | None
    mpiexec: tuple[str, ...]
    # Where a program that loads libmpi.so.12 or libmpi.so.40 by name (mpi4py, a binary wheel) finds this library.
    libdir: Path | None
    environment: dict[str, str] = field(default_factory=dict, hash=False)
    # MPI_x_c functions with large counts, and what else MPI 4 brought.
    large_counts: bool = False
    mpi4: bool = False


def find(name: str) -> Library | None:
    """The library of that name, None if it is not installed here."""
    return _debian(name.removeprefix("debian-")) if name.startswith("debian-") else _wheel(name)


def _wheel(name: str) -> Library | None:
    home = Path(os.environ.get("LEADLINE_MPI_HOME", REPOSITORY / ".mpi")) / name
    bin_dir = home / "bin"
    if not (bin_dir / "mpicc").exists():
        return None
    mpich = name == "mpich"
    return Library(
        name=name,
        family=name,
        mpicc=str(bin_dir / "mpicc"),
        mpicxx=str(bin_dir / "mpicxx"),
        mpifort=None,
        mpiexec=(str(bin_dir / "mpiexec"),) if mpich else (str(bin_dir / "mpiexec"), "--oversubscribe"),
        libdir=home / "lib",
        environment={} if mpich else OPENMPI_ENVIRONMENT,
        large_counts=mpich,
        mpi4=True,
    )


def _debian(family: str) -> Library | None:
    commands = [f"{stem}.{family}" for stem in ("mpicc", "mpicxx", "mpifort", "mpiexec")]
    if any(shutil.which(command) is None for command in commands[:2] + commands[3:]):
        return None
    mpich = family == "mpich"
    return Library(
        name=f"debian-{family}",
        family=family,
        mpicc=commands[0],
        mpicxx=commands[1],
        mpifort=commands[2] if shutil.which(commands[2]) and shutil.which("gfortran") else None,
        mpiexec=(commands[3],) if mpich else (commands[3], "--oversubscribe"),
        libdir=None,
        environment={} if mpich else OPENMPI_ENVIRONMENT,
        large_counts=mpich,
        mpi4=mpich,
    )


def debian_mpich_file() -> Path | None:
    """Debian's MPICH, which calls itself libmpich.so.12 where everybody else says libmpi.so.12."""
    listing = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=False).stdout
    for line in listing.splitlines():
        if line.strip().startswith("libmpich.so.12 "):
            return Path(line.rpartition("=> ")[2].strip())
    return None
