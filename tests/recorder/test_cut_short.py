"""Loops that a signal ends: how many iterations they would have had is not known."""

from pathlib import Path

import pytest

from leadline.figures.run import open_run
from leadline.report import to_json

from .building import PROGRAMS, Builder
from .libraries import Library
from .running import run_mpi


@pytest.mark.parametrize("options", [("-O0", "-g"), ("-O2", "-g")])
def test_loops_that_a_signal_ends_have_at_least_so_many_iterations(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    program = builder.c(one_of_each_family, "cut_short.c", *options)
    outcome = run_mpi(
        one_of_each_family, 1, [program, "12", "9"], cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run"
    )
    assert outcome.returncode != 0
    loops = {loop["routine"]: loop for loop in to_json(open_run(tmp_path / "run"))["loops"]}
    told = {name: (loop["trips"], loop["at_least"], loop["trips_per_parent_at_least"]) for name, loop in loops.items()}
    assert told == {"warm_up": (6, False, False), "main": (9, True, True), "solve": (42, True, False)}
    # The visit that was cut short does not count.
    assert loops["solve"]["trips_per_parent"] == {"min": 5, "median": 5, "max": 5}


def test_a_loop_that_ended_before_has_exact_iterations(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = builder.c(one_of_each_family, "cut_short.c", "-O1", "-g")
    run_mpi(
        one_of_each_family, 1, [program, "12", "0"], cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run"
    )
    loops = to_json(open_run(tmp_path / "run"))["loops"]
    assert sorted(loop["trips"] for loop in loops) == [6, 12, 60]
    assert not any(loop["at_least"] for loop in loops)


def test_the_code_of_a_killed_process_was_read_before(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    """By the order of their addresses, calls that the compiler moved would be in loops of their own."""
    steps = 1000
    program = builder.c(one_of_each_family, "moved_code.c", "-g")
    outcome = run_mpi(
        one_of_each_family, 1, [program, str(steps)], cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run"
    )
    assert outcome.returncode != 0
    source = (PROGRAMS / "moved_code.c").read_text().splitlines()
    line = next(number for number, text in enumerate(source, 1) if text.endswith("/* steps */"))
    loops = to_json(open_run(tmp_path / "run"))["loops"]
    assert [(loop["line"], loop["trips"]) for loop in loops] == [(line, steps)]
