"""Loops whose iterations are entered in the middle, begin in front of the loop, or jump from one routine to another:
each counts once."""

from pathlib import Path

import pytest

from leadline.figures.run import open_run
from leadline.report import to_json

from .building import Builder
from .libraries import Library
from .running import run_mpi


@pytest.mark.parametrize("ways", [[], ["middle"], ["left"], ["right"], ["sum"], ["again"]])
def test_an_iteration_counts_once(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path, ways: list[str]
) -> None:
    program = builder.c(one_of_each_family, "entered.c", "-g", "-O0")  # optimisers move the place of entry
    run = tmp_path / "run"
    outcome = run_mpi(one_of_each_family, 2, [program, *ways], cwd=tmp_path, recorder=recorder, run_directory=run)
    assert outcome.returncode == 0, outcome.stderr
    (loop,) = to_json(open_run(run))["loops"]
    assert (loop["trips"], loop["trips_of_all_ranks"], loop["at_least"]) == (50, 100, False)


def test_a_jump_to_another_routine_is_no_iteration(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = builder.c(one_of_each_family, "jumps.c", "-g", "-O2")
    run = tmp_path / "run"
    outcome = run_mpi(one_of_each_family, 2, [program], cwd=tmp_path, recorder=recorder, run_directory=run)
    assert outcome.returncode == 0, outcome.stderr
    (loop,) = to_json(open_run(run))["loops"]
    assert (loop["trips"], loop["trips_of_all_ranks"], loop["at_least"]) == (50, 100, False)
