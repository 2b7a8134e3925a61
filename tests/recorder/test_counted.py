"""Traffic that is easily counted wrongly (tests/programs/counted.c): every number by hand."""

from pathlib import Path
from typing import Any

import pytest

from .building import Builder
from .libraries import Library, has_mpi4
from .reading import report_of
from .running import Outcome, run_mpi

Case = tuple[Outcome, dict[str, Any]]


@pytest.fixture
def counted(one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path) -> Any:
    """Records a part of the program, and returns how it ended and its report."""

    def run(ranks: int, *arguments: str) -> Case:
        program = builder.c(one_of_each_family, "counted.c")
        directory = tmp_path / "run"
        outcome = run_mpi(
            one_of_each_family, ranks, [program, *arguments], cwd=tmp_path, recorder=recorder, run_directory=directory
        )
        assert outcome.returncode == 0, outcome.stderr
        report = report_of(directory)
        assert not report["losses"]
        return outcome, report

    return run


def finding(report: dict[str, Any], name: str) -> dict[str, Any] | None:
    return next((found for found in report["findings"] if found["id"] == name), None)


def test_calls_that_the_library_refused_are_no_messages(counted: Any) -> None:
    outcome, report = counted(2, "refused")
    assert outcome.lines == ["rank 0: 4 errors", "rank 1: 4 errors"]
    totals = report["totals"]
    assert (totals["messages"], totals["message_bytes"], totals["refused_calls"]) == (1, 10, 8)
    assert [(entry["source"], entry["target"], entry["messages"]) for entry in report["matrix"]] == [(0, 1, 1)]
    calls = {entry["function"]: entry["calls"] for entry in report["functions"]}
    assert (calls["MPI_Send"], calls["MPI_Isend"], calls["MPI_Recv"]) == (2 * 2 + 1, 2, 2 + 1)
    refused = finding(report, "refused-calls")
    assert refused is not None
    assert refused["text"].startswith("8 calls failed and transferred nothing; ")
    assert finding(report, "undelivered") is None


def test_receives_without_a_status_count_the_bytes_that_came(counted: Any) -> None:
    _, report = counted(2, "ignored")
    assert report["totals"]["messages"] == 60
    assert [rank["bytes_received"] for rank in report["ranks_detail"]] == [0, 60 * 600]


def test_nothing_goes_to_neighbours_beyond_an_edge(counted: Any) -> None:
    _, report = counted(4, "neighbours")
    # Two neighbours there: 5 ints each in alltoall, 5 to all and 5 from each in allgather, 2 each in alltoallv.
    for rank in report["ranks_detail"]:
        assert rank["collective_bytes"] == 4 * (2 * 5 + 5 + 2 * 2)
        assert rank["collective_bytes_received"] == 4 * (2 * 5 + 2 * 5 + 2 * 2)


def test_reads_count_the_bytes_that_were_there(counted: Any, tmp_path: Path) -> None:
    _, report = counted(1, "files", str(tmp_path / "data"))
    read = 550 + 50 + 550 + 550
    functions = {entry["function"]: entry["bytes_received"] for entry in report["functions"]}
    assert functions["MPI_File_iread_at"] == 550 + 50
    assert functions["MPI_File_read_at"] == 550
    assert functions["MPI_File_read_at_all_begin"] == 0
    assert functions["MPI_File_read_at_all_end"] == 550
    (data,) = [entry for entry in report["io"]["files"] if entry["file"].endswith("/data")]
    assert data["bytes_read"] == read


def test_cancelled_requests_are_in_the_report(counted: Any) -> None:
    _, report = counted(2, "cancelled")
    totals = report["totals"]
    assert (totals["messages"], totals["messages_never_received"], totals["messages_from_nobody"]) == (1, 0, 0)
    assert (totals["cancelled_sends"], totals["cancelled_receives"]) == (0, 3)
    undelivered = finding(report, "undelivered")
    assert undelivered is not None
    assert undelivered["text"] == "3 receives were cancelled."


def test_messages_that_nobody_received_are_in_the_report(counted: Any, one_of_each_family: Library) -> None:
    if one_of_each_family.family == "mpich":
        pytest.skip("MPICH ends the program in MPI_Finalize")
    _, report = counted(2, "lost")
    totals = report["totals"]
    assert (totals["messages"], totals["messages_never_received"], totals["messages_from_nobody"]) == (2, 2, 0)
    undelivered = finding(report, "undelivered")
    assert undelivered is not None
    assert undelivered["text"] == "2 messages were sent but never received."


def test_every_start_of_a_persistent_collective_is_a_call(counted: Any, one_of_each_family: Library) -> None:
    if not has_mpi4(one_of_each_family):
        pytest.skip(f"{one_of_each_family.name} has MPI 3.1 only")
    _, report = counted(2, "starts")
    assert report["totals"]["collective_calls"] == 2 * 100
    assert "No messages; 200 collective calls on 2 ranks." in report["verdict"]


def test_a_message_over_a_duplicate_of_a_duplicate_is_matched(counted: Any) -> None:
    _, report = counted(2, "duplicates", "300")
    calls = {entry["function"]: entry["calls"] for entry in report["functions"]}
    assert calls["MPI_Comm_dup"] == 2 * (300 + 2)
    totals = report["totals"]
    assert (totals["messages"], totals["messages_never_received"]) == (2, 0)
    assert sorted((e["source"], e["target"], e["bytes"]) for e in report["matrix"]) == [(0, 1, 5), (1, 0, 5)]
