"""A program that asks in vain: every poll is counted, and the trace does not grow with them."""

from itertools import pairwise
from pathlib import Path

import pytest

from .building import Builder
from .libraries import Library
from .reading import Recorded, failed_polls_of, losses_of, open_processes, report_of
from .running import run_mpi

pytestmark = pytest.mark.usefixtures("busy_waiting")

CALLS = ["MPI_Irecv", "MPI_Isend", "MPI_Test", "MPI_Wait"]  # of each message, in this order


def bytes_of(run: Path) -> int:
    return sum(path.stat().st_size for path in [*run.glob("*.trace"), *run.glob("*.structure")])


@pytest.fixture
def program(one_of_each_family: Library, builder: Builder) -> Path:
    return builder.c(one_of_each_family, "polling.c")


def record(library: Library, program: Path, messages: int, mean: int, recorder: Path, run: Path) -> dict[str, int]:
    """Returns how many polls of each function failed, as the program counted them."""
    words = [program, str(messages), str(mean)]
    outcome = run_mpi(library, 1, words, cwd=run.parent, recorder=recorder, run_directory=run)
    assert outcome.returncode == 0, outcome.stderr
    return {name: int(number) for name, number in (line.split() for line in outcome.lines if line.startswith("MPI_"))}


def test_polls_of_any_kind_in_any_order_are_counted_and_stay_out_of_the_order(
    one_of_each_family: Library, program: Path, recorder: Path, tmp_path: Path
) -> None:
    failed = record(one_of_each_family, program, 500, 20, recorder, tmp_path / "run")
    (process,) = open_processes(tmp_path / "run").values()
    assert failed_polls_of(process) == failed
    assert losses_of(process) == []
    calls = list(Recorded(process))
    events = [call["function"] for call in calls if not call.get("nothing")]
    assert events == ["MPI_Init", *(500 * CALLS), "MPI_Finalize"]
    runs = [call for call in calls if call.get("nothing")]
    assert process.poll_runs() == (len(runs), 0)
    # Each is between two calls, and known to a power of two.
    assert not any(one.get("nothing") and other.get("nothing") for one, other in pairwise(calls))
    assert sum(run["times"] for run in runs) <= sum(failed.values()) < sum(2 * run["times"] for run in runs)


def test_a_trace_does_not_grow_with_polls(
    one_of_each_family: Library, program: Path, recorder: Path, tmp_path: Path
) -> None:
    few = record(one_of_each_family, program, 1000, 100, recorder, tmp_path / "few")
    many = record(one_of_each_family, program, 1000, 1000, recorder, tmp_path / "many")
    assert sum(many.values()) > 9 * sum(few.values())
    # Ten times the polls: numbers get longer, and how often a wait succeeds at once is up to the machine.
    assert bytes_of(tmp_path / "many") < 2 * bytes_of(tmp_path / "few") < 40_000


def test_a_trace_is_bounded_however_many_runs_of_polls_there_are(
    one_of_each_family: Library, program: Path, recorder: Path, tmp_path: Path
) -> None:
    failed = record(one_of_each_family, program, 60_000, 10, recorder, tmp_path / "run")
    (process,) = open_processes(tmp_path / "run").values()
    assert failed_polls_of(process) == failed
    assert losses_of(process) == []
    kept, dropped = process.poll_runs()
    assert kept > 5_000
    assert dropped > 20_000
    assert bytes_of(tmp_path / "run") < 100_000
    events = [call.function for call in process.calls() if not call.nothing]
    assert len(events) == 2 + 60_000 * len(CALLS)
    said = [entry["what"] for entry in report_of(tmp_path / "run")["not_recorded"]]
    assert f"call sites of {dropped:,} of {kept + dropped:,} groups of failed polls" in said


def test_a_rank_killed_among_polls_leaves_them(
    one_of_each_family: Library, program: Path, recorder: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    words = [program, "500", "20", "50001"]
    run_mpi(one_of_each_family, 1, words, cwd=tmp_path, recorder=recorder, run_directory=run)
    (process,) = open_processes(run).values()
    calls = list(process.calls())
    assert (calls[-1].nothing, calls[-1].times) == (True, 50_001)
    assert [call.nothing for call in calls].count(False) == 1 + 500 * len(CALLS) + 1
