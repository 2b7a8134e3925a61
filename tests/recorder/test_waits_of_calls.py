"""The waits of single calls in the timeline: parts of those of the run, found in the same way."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import leadline
from leadline.figures.run import open_run
from leadline.report import Report

from .building import Builder
from .libraries import Library
from .running import run_mpi

IN_A_STEP = {"MPI_Barrier", "MPI_Send", "MPI_Recv", "MPI_Allreduce", "MPI_Bcast", "MPI_Win_start", "MPI_Put"}
IN_A_STEP |= {"MPI_Win_complete", "MPI_Win_post", "MPI_Win_wait"}
Sums = dict[tuple[str, int, str], float]


def recorded(library: Library, program: list[str | Path], recorder: Path, at: Path) -> Path:
    directory = at / "run"
    done = run_mpi(library, 2, program, cwd=at, recorder=recorder, run_directory=directory)
    assert done.returncode == 0, done.stderr
    return directory


@pytest.fixture
def late_rank(one_of_each_family: Library, builder: Builder) -> Path:
    return builder.c(one_of_each_family, "late_rank.c")


def waits_of(rows: Any, seconds: str) -> Sums:
    """Seconds by kind of wait, rank and function, of what is called in each step."""
    found: Sums = defaultdict(float)
    for row in rows:
        kind = row.kind if seconds == "wait_s" else row.wait
        if kind != "none" and row.function in IN_A_STEP:
            found[kind, row.rank, row.function] += getattr(row, seconds)
    return found


def test_waits_of_all_calls_add_up_to_those_of_the_run(
    one_of_each_family: Library, late_rank: Path, recorder: Path, tmp_path: Path
) -> None:
    run = leadline.open(recorded(one_of_each_family, [late_rank, "20", "3000"], recorder, tmp_path))
    calls = run.timeline("all")
    of_run = waits_of(run.waits(), "wait_s")
    assert waits_of(calls, "waited_s") == pytest.approx(of_run, rel=1e-5)
    kinds = {("late_sender", 0, "MPI_Recv"), ("wait_at_n_to_n", 0, "MPI_Allreduce"), ("late_broadcast", 0, "MPI_Bcast")}
    assert kinds <= set(of_run)
    assert {kind for kind, rank, _ in of_run if rank == 0} >= {"late_post"}
    for row in calls:
        assert row.waited_s is not None
        assert row.waited_s <= row.end_s - row.begin_s + 1e-9
        assert (row.waited_s > 0, row.waited_process) == ((False, None) if row.wait == "none" else (True, 1 - row.rank))


@pytest.mark.ci
@pytest.mark.full(one_of_each_family="mpich")  # which waits busily, 2,000 times
def test_of_a_bounded_trace_the_kept_iterations_have_waits(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = [builder.c(one_of_each_family, "steps.c"), "2000", "1217", "50"]
    directory = recorded(one_of_each_family, program, recorder, tmp_path)
    run = leadline.open(directory)
    calls = run.timeline("all")
    kept = {row.iteration for row in calls}
    assert 2 <= len(kept) < 2000
    assert all(0 <= row.waited_s <= row.end_s - row.begin_s + 1e-9 for row in calls)
    assert any(row.waited_s > 0 for row in calls)
    # Each by itself as together.
    number = max(kept)
    alone = run.timeline(number)
    assert [row.waited_s for row in alone] == [row.waited_s for row in calls if row.iteration == number]


def test_the_report_shows_the_iteration_that_is_asked_for(
    one_of_each_family: Library, late_rank: Path, recorder: Path, tmp_path: Path
) -> None:
    directory = recorded(one_of_each_family, [late_rank, "8", "3000"], recorder, tmp_path)
    timeline = Report(open_run(directory), 5).data["timeline"]
    first = timeline["steps"][0]
    assert first["iteration"] == 5
    assert first["kinds"][0] == "chosen"
    assert first["critical_path"]["rank"]
    rows = [row for row in leadline.open(directory).timeline(5) if row.wait != "none"]
    waits = first["waits"]
    assert list(zip(waits["kind"], waits["rank"], strict=True)) == [(row.wait, row.waited_process) for row in rows]
    assert [waited * first["unit_s"] for waited in waits["waited"]] == pytest.approx(
        [row.waited_s for row in rows], abs=first["unit_s"]
    )
