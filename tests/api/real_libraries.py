"""The real MPI libraries and headers that Leadline's data are compared with."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from leadline.errors import LeadlineError
from leadline.mpi import NAMES, find

# Beside the libraries: the standard ABI, which PyPI's MPICH and Intel MPI have as a second library and header.
ABI = ("mpich-abi", "intel-abi")


@dataclass(frozen=True)
class RealLibrary:
    """`compiler` and `launcher` as words; `file` is the library itself."""

    name: str
    family: str
    compiler: tuple[str, ...]
    launcher: tuple[str, ...]
    file: Path
    environ: dict[str, str]

    def compile(self, source: Path, *flags: str) -> subprocess.CompletedProcess[str]:
        words = [*self.compiler, "-w", *flags, str(source)]
        return subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)

    def run(self, program: Path) -> str:
        """The output of the program as the only rank. Raises CalledProcessError if it fails."""
        env = {**os.environ, **self.environ}
        words = [*self.launcher, "-n", "1", str(program)]
        return subprocess.run(words, capture_output=True, text=True, check=True, timeout=120, env=env).stdout


def names() -> list[str]:
    return [*NAMES, *ABI]


def real_library(name: str) -> RealLibrary | None:
    """The library; None if it is not installed."""
    try:
        library = find(name)
    except LeadlineError:
        return None
    return RealLibrary(
        name=name,
        family=library.family,
        compiler=(str(library.mpicc),),
        launcher=(str(library.mpiexec),),
        file=_library_file(library.libdir, name),
        environ=library.environ,
    )


def _library_file(folder: Path, name: str) -> Path:
    candidates = {
        "debian-mpich": ["libmpich.so.12", "../libmpich.so.12", "../../libmpich.so.12"],
        "debian-openmpi": ["libmpi.so.40", "../libmpi.so.40", "../../libmpi.so.40"],
    }.get(name, ["libmpi_abi.so.1"] if name in ABI else ["libmpi.so.12", "libmpi.so.40"])
    for candidate in candidates:
        if (folder / candidate).exists():
            return folder / candidate
    raise FileNotFoundError(f"{name}: none of {', '.join(candidates)} in {folder}")
