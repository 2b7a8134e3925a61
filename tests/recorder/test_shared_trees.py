"""Ranks that behave alike share one loop tree: what they have in common is decoded once."""

from pathlib import Path

import pytest

from leadline.figures.run import open_run

from .building import Builder
from .libraries import Library
from .running import run_mpi

RANKS = 16


@pytest.mark.parametrize("one_of_each_family", ["openmpi"], indirect=True)  # 16 ranks of MPICH would wait busily
@pytest.mark.parametrize(("words", "trees"), [([], 3), (["one more"], 4)])
def test_16_ranks_of_a_ring(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path, words: list[str], trees: int
) -> None:
    """The first and the last have a neighbour at the other end. A rank that makes one more call has its own tree."""
    program = builder.c(one_of_each_family, "ring.c")
    command: list[str | Path] = [program, "20", *words]
    outcome = run_mpi(
        one_of_each_family, RANKS, command, cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run"
    )
    assert outcome.returncode == 0, outcome.stderr
    loops = open_run(tmp_path / "run").profile.loops
    assert loops.trees == trees
    steps = loops.main
    (fields,) = (n for n in range(1, len(loops.all)) if loops.all[n].outer == steps)
    assert (loops.iterations(steps), loops.iterations(fields)) == (20, 60)
    shape = loops.shape(fields)
    assert (shape.iterations, shape.fewest, shape.usual, shape.most) == (RANKS * 60, 3, 3, 3)
    # The tag is the field's number.
    assert (shape.variants, loops.shape(steps).variants) == (3, 1)
