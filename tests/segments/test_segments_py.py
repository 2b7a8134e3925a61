"""Packed exchanges from Python, with mpi4py and views of NumPy arrays."""

from pathlib import Path

import kept_builds
import pytest
from recorder.mpi4py_programs import python_command
from recorder.running import run_mpi

from leadline.segments.building import shared_library

from .building import ROOT, library

PROGRAM = ROOT / "tests" / "programs" / "segments.py"


def _lines(name: str, ranks: int, kind: str, tmp_path: Path) -> list[str]:
    chosen = library(name)
    python, environment = python_command(chosen, tmp_path)
    # As a user has it, but kept with the other programs of the tests.
    cache = kept_builds.folder() / "cache"
    shared_library(str(chosen.mpicc), cache / "leadline" / "segments")
    environment |= {"MPICC": str(chosen.mpicc), "XDG_CACHE_HOME": str(cache)}
    done = run_mpi(chosen, ranks, [*python, PROGRAM, kind], cwd=tmp_path, environment=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.lines


@pytest.mark.ci("openmpi")
@pytest.mark.parametrize(("name", "ranks"), [("mpich", 2), ("openmpi", 3)])
def test_halos_of_views_arrive(name: str, ranks: int, tmp_path: Path) -> None:
    assert _lines(name, ranks, "right", tmp_path) == [f"rank {rank}: 0 wrong" for rank in range(ranks)]


def test_an_error_is_raised_on_every_rank(tmp_path: Path) -> None:
    said = "rank 0, field salt: sends 64 bytes to neighbour 1 (rank 1), which receives 96"
    assert _lines("mpich", 2, "size", tmp_path) == [f"rank 0: {said}", f"rank 1: {said}"]
