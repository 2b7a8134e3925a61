"""The real MPI libraries and headers that Leadline's data are compared with."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from leadline.errors import LeadlineError
from leadline.mpi import NAMES, find, home

# Beside the four libraries: the standard ABI, which PyPI's MPICH has as a second library and header, and Intel's (not
# installed by ./dev; to include it: a virtual environment "intel" beside the others with impi-rt and impi-devel).
MPICH_ABI = "mpich-abi"
INTEL = "intel"
_INTEL_ENVIRONMENT = {"I_MPI_FABRICS": "shm"}


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
        """What the program prints as the only rank. Raises CalledProcessError where it fails."""
        env = {**os.environ, **self.environ}
        words = [*self.launcher, "-n", "1", str(program)]
        return subprocess.run(words, capture_output=True, text=True, check=True, timeout=120, env=env).stdout


def names() -> list[str]:
    return [*NAMES, MPICH_ABI, *([INTEL] if _intel() else [])]


def real_library(name: str) -> RealLibrary | None:
    """None where it is not installed."""
    if name == INTEL:
        return _intel()
    try:
        library = find("mpich" if name == MPICH_ABI else name)
    except LeadlineError:
        return None
    compiler = str(library.mpicc) + ("_abi" if name == MPICH_ABI else "")
    return RealLibrary(
        name=name,
        family="mpi5" if name == MPICH_ABI else library.family,
        compiler=(compiler,),
        launcher=(str(library.mpiexec),),
        file=_library_file(library.libdir, name),
        environ=library.environ,
    )


def _library_file(folder: Path, name: str) -> Path:
    candidates = {
        MPICH_ABI: ["libmpi_abi.so.1"],
        "debian-mpich": ["libmpich.so.12", "../libmpich.so.12", "../../libmpich.so.12"],
        "debian-openmpi": ["libmpi.so.40", "../libmpi.so.40", "../../libmpi.so.40"],
    }.get(name, ["libmpi.so.12", "libmpi.so.40"])
    for candidate in candidates:
        if (folder / candidate).exists():
            return folder / candidate
    raise FileNotFoundError(f"{name}: none of {', '.join(candidates)} in {folder}")


def _intel() -> RealLibrary | None:
    prefix = home() / INTEL
    if not (prefix / "include" / "mpi.h").exists():
        return None
    compiler = (
        "cc",
        f"-I{prefix}/include",
        f"-L{prefix}/lib",
        f"-Wl,-rpath,{prefix}/lib",
        "-Wl,--no-as-needed",
        "-l:libmpi.so.12",
    )
    launcher = (str(prefix / "bin" / "mpiexec"),)
    return RealLibrary(INTEL, "mpich", compiler, launcher, prefix / "lib" / "libmpi.so.12", _INTEL_ENVIRONMENT)
