"""Packed exchanges from Fortran: sections of arrays, in one segment, in two, and as is found."""

from pathlib import Path

import pytest
from recorder.running import run_mpi

from leadline.compiled_in import sources
from leadline.errors import LeadlineError
from leadline.mpi import Library, find

from .building import ROOT, compiled

PROGRAM = ROOT / "tests" / "programs" / "segments.f90"


@pytest.fixture(params=["debian-mpich", "debian-openmpi"])
def library(request: pytest.FixtureRequest) -> Library:
    try:
        found = find(request.param)
    except LeadlineError:
        pytest.skip(f"{request.param} is not installed")
    if found.mpifort is None:
        pytest.skip(f"{request.param} has no Fortran compiler here")
    return found


def _built(library: Library, modules: Path) -> Path:
    folder = sources("segments")
    words = [str(library.mpifort), "-O2", "-w", "-DLEADLINE_SEGMENTS_FORTRAN", f"-I{folder}"]
    words += map(str, [*sorted(folder.glob("[a-z]*.c")), folder / "leadline_segments.f90", PROGRAM])
    # Where the module goes is no part of what is built.
    return compiled(
        f"segments-f08-{library.name}", words, library, [PROGRAM, *sorted(folder.glob("*.[chf]*"))], cwd=modules
    )


@pytest.mark.ci("debian-openmpi")
def test_halos_of_sections_arrive(library: Library, tmp_path: Path) -> None:
    done = run_mpi(library, 2, [_built(library, tmp_path)], cwd=tmp_path)
    assert done.lines == ["rank 0: 0 wrong", "rank 1: 0 wrong"], done.stderr


@pytest.mark.ci("debian-openmpi")
def test_an_error_is_said_on_every_rank(library: Library, tmp_path: Path) -> None:
    done = run_mpi(library, 2, [_built(library, tmp_path), "size"], cwd=tmp_path)
    said = "rank 0, field salt: sends 64 bytes to neighbour 1 (rank 1), which receives 96"
    assert done.lines == [f"rank 0: {said}", f"rank 1: {said}"], done.stderr
