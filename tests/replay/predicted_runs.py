"""Runs of two ranks that tests of `leadline predict` share."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from recorder import running
from recorder.building import Builder
from recorder.libraries import find

from leadline.figures.run import Run, open_run
from leadline.predict.ranks import RecordedTree

STEPS = 80
FIELDS = 6  # fields.c
NETWORK = """
schema = 1
[[link.node.piece]]
latency_ns = 1e11
overhead_ns = 100
per_byte_ns = 1
"""


def traffic(tree: RecordedTree) -> Counter[tuple[Any, ...]]:
    """Calls of each site and rank, by what they move and to whom. To MPI_PROC_NULL nothing moves, whatever is asked."""
    found: Counter[tuple[Any, ...]] = Counter()
    for rank, own in enumerate(tree.ranks):
        for leaf, call in zip(tree.leaves[own.of_class], own.calls, strict=True):
            moved: tuple[Any, ...] = tuple(
                (v.world, v.tag, v.sent, v.received) if v.world is not None else (None, v.tag) for v in call.parts
            )
            if leaf.requests == "completes":
                moved = (len(moved),)
            found[leaf.name, rank, moved] += call.calls
    return found


def record(
    directory: Path, program: str, *options: str, ranks: int = 2, steps: int = STEPS, shares_cores: bool = False
) -> Run:
    """Many ranks wait for each other with Open MPI, which gives up its core meanwhile.   shares_cores: so do two."""
    names = ("mpich", "debian-mpich", "openmpi") if ranks == 2 and not shares_cores else ("openmpi",)
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
