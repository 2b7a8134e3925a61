"""Call paths go back to main or to where a thread began, and those that cannot say so."""

from pathlib import Path
from typing import Any

import pytest

from .building import Builder
from .libraries import Library
from .reading import report_of
from .running import run_mpi

ROUNDS = 3
# Routine that calls MPI_Send -> the path to it, outermost first, and whether it is whole.
PATHS = {
    "from_main": (["main"], True),
    "five_deep": (["main", *["dive"] * 5], True),
    "sixty_deep": (["main", *["dive"] * 60], True),
    "hundred_deep": (["main", "dive"], True),  # more than 64 frames: recursion is folded
    "thousand_deep": (["dive"], False),  # more than are unwound
    "from_thread": (["thread"], True),
    "from_coroutine": (["coroutine"], False),  # who resumes it is on another stack
    "from_handler": (["handler"], False),  # where the signal came is no place in the program
    "without_tables": (["call_without_tables"], False),
    "through_generated_code": (["(generated code)"], False),
    "through_libc": (["main", "compare"], True),
}


@pytest.fixture(scope="module")
def report(one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path_factory: Any) -> dict[str, Any]:
    directory = tmp_path_factory.mktemp("whole-paths")
    program = builder.c(one_of_each_family, "whole_paths.c")
    run = directory / "run"
    outcome = run_mpi(one_of_each_family, 1, [program], cwd=directory, recorder=recorder, run_directory=run)
    assert outcome.returncode == 0, outcome.stderr
    return report_of(run)


def test_paths_are_whole_or_say_that_they_are_not(report: dict[str, Any]) -> None:
    found = {site["routine"]: site for site in report["sites"] if site["routine"] in PATHS}
    for routine, (path, whole) in PATHS.items():
        site = found[routine]
        assert [frame["routine"] for frame in site["frames"]] == [*path, routine]
        assert site["path_whole"] is whole, routine
        assert site["calls"] == (2 if routine == "from_handler" else 1) * ROUNDS
    assert sum(site["routine"] in PATHS for site in report["sites"]) == len(PATHS)


def test_ways_through_a_recursion_do_not_fill_the_tables(report: dict[str, Any]) -> None:
    leaves = [site for site in report["sites"] if site["routine"] == "at_leaf"]
    assert sum(site["calls"] for site in leaves) == ROUNDS * 2**14
    assert all(site["path_whole"] for site in leaves)
    assert len(leaves) <= 1024 + 2  # then each of the two calls of `branch` is one
    assert not report["losses"]
    assert report["trace"]["bytes"] < 150_000


def test_calls_from_exit_handlers_have_paths(report: dict[str, Any]) -> None:
    (site,) = (site for site in report["sites"] if site["routine"] == "at_end")
    assert site["path_whole"]
    assert [frame["routine"] for frame in site["frames"]][-2:] == ["after_main", "at_end"]


def test_routines_are_complete_unless_a_cut_path_may_lead_to_them(report: dict[str, Any]) -> None:
    at_least = {entry["routine"] for entry in report["routines"] if entry["at_least"]}
    # `dive` is where a path was cut, and main and dive are what is known to call it.
    assert at_least == {"main", "dive"}
