"""The program that the tests of `leadline improve` make faster."""

import subprocess
from pathlib import Path

import kept_builds
import pytest

from leadline import mpi

SOURCE = Path(__file__).resolve().parent / "programs" / "improvable.c"


def improvable(name: str) -> tuple[mpi.Library, Path]:
    """The library of that name and the program, compiled for it. Skips the test if the library is not here."""
    library = next((library for library in mpi.available() if library.name == name), None)
    if library is None:
        pytest.skip(f"the MPI library {name} is not here")

    def compile_to(target: Path) -> None:
        words = [str(library.mpicc), "-O2", str(SOURCE), "-o", str(target), "-lm"]
        subprocess.run(words, check=True, env=library.env(), capture_output=True)

    return library, kept_builds.kept(f"improvable-{name}", [SOURCE, kept_builds.identity(library)], compile_to)
