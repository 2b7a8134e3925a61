"""What the tables hold: the program's traffic, which is known, and the report's figures."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import leadline
from leadline.errors import DamagedTrace, NoSuchRun, UsageError
from leadline.tables.world_ranks import world_ranks_of

from .conftest import RANKS, STEPS, Opened


def where(table: Any, **wanted: Any) -> list[Any]:
    return [row for row in table if all(getattr(row, name) == value for name, value in wanted.items())]


def same(total: float, reported: float) -> bool:
    return math.isclose(total, reported, rel_tol=1e-9, abs_tol=1e-12)


def test_a_row_of_calls_is_what_a_rank_did_at_a_site(whole: Opened) -> None:
    calls = whole.recording.calls()
    for rank in range(RANKS):
        (send,) = where(calls, function="MPI_Send", rank=rank)
        assert (send.process, send.world, send.calls, send.messages) == (rank, 0, STEPS, STEPS)
        assert (send.bytes, send.bytes_received) == (STEPS * 100 * (rank + 1), 0)
        (put,) = where(calls, function="MPI_Put", rank=rank)
        assert (put.one_sided_operations, put.bytes_put, put.bytes_got) == (STEPS, STEPS * 24, 0)
        (receive,) = where(calls, function="MPI_Irecv", rank=rank)
        assert receive.bytes == receive.bytes_received == STEPS * 100 * ((rank - 1) % RANKS + 1)
        (local,) = where(calls, function="MPI_Comm_rank", rank=rank)
        assert (local.calls, local.min_s, local.max_s) == (1, None, None)
        assert 0 <= send.min_s <= send.max_s <= send.time_s  # less than a tick of a coarse counter is 0


def test_pairs_of_ranks(whole: Opened) -> None:
    assert [tuple(row) for row in whole.recording.matrix()] == [
        (rank, 0, rank, (rank + 1) % RANKS, STEPS, STEPS * 100 * (rank + 1), STEPS, STEPS * 24, 0)
        for rank in range(RANKS)
    ]


def test_files_by_rank(whole: Opened) -> None:
    rows = [row for row in whole.recording.io() if "/out-" in row.file]
    assert [(Path(row.file).name, row.rank) for row in sorted(rows)] == [(f"out-{rank}", rank) for rank in range(RANKS)]
    for row in rows:
        assert (row.layer, row.opens, row.writes) == ("program", 1, STEPS)
        assert row.bytes_written == row.size_bytes == 16 * STEPS


def test_iterations_are_those_of_the_report(whole: Opened) -> None:
    rows = list(whole.recording.iterations())
    assert rows[0].first == 0
    assert rows[-1].last == STEPS - 1
    strip = whole.report["iterations"]["strip"]
    names = ("first", "last", "mean_s", "min_s", "max_s", "max_rank", "max_iteration")
    assert [{name: getattr(row, name) for name in names} for row in rows] == strip


def test_a_timeline_has_the_calls_of_an_iteration_and_their_messages(whole: Opened) -> None:
    rows = list(whole.recording.timeline(STEPS // 2))
    functions = [
        "MPI_Irecv",
        "MPI_Send",
        "MPI_Wait",
        "MPI_Win_fence",
        "MPI_Put",
        "MPI_Win_fence",
        "MPI_Allreduce",
        "write",
    ]
    assert [row.function for row in rows] == functions * RANKS
    sites = list(whole.recording.sites())
    for at, row in enumerate(rows):
        rank, call = divmod(at, len(functions))
        assert (row.process, row.world, row.rank, row.iteration) == (rank, 0, rank, STEPS // 2)
        assert row.begin_s <= row.end_s
        assert row.gap_s >= 0
        if call:
            assert row.begin_s >= rows[at - 1].end_s - 1e-9
        assert row.site is None if row.function == "write" else sites[row.site].function == row.function
    for rank in range(RANKS):
        own = rank * len(functions)
        receive, send, wait, *_, reduction, write = rows[own : own + len(functions)]
        after, before = (rank + 1) % RANKS, (rank - 1) % RANKS
        assert (send.role, send.partner_process, send.partner_rank, send.bytes) == (
            "send",
            after,
            after,
            100 * (rank + 1),
        )
        assert (send.partner_row, send.source_row, send.completion_row) == (after * len(functions), None, None)
        assert send.completed_s == send.end_s
        assert (receive.role, receive.partner_rank) == ("receive", before)
        assert receive.partner_row == receive.source_row == before * len(functions) + 1
        assert (receive.completion_row, receive.completed_s) == (own + 2, wait.end_s)
        assert (wait.role, wait.partner_row, wait.bytes_received) == ("other", None, 100 * (before + 1))
        assert (reduction.role, reduction.bytes, reduction.bytes_received) == ("collective", 8, 8)
        assert reduction.partner_row == after * len(functions) + 6
        assert (write.role, write.bytes) == ("other", 16)


def test_a_timeline_is_of_an_iteration_that_was_kept(whole: Opened, without_steps: Opened) -> None:
    typical = {row.iteration for row in whole.recording.timeline()}
    slowest = {row.iteration for row in whole.recording.timeline("slowest")}
    assert [*typical, *slowest] == [
        step["iteration"]
        for kind in ("typical", "slowest")
        for step in whole.report["timeline"]["steps"]
        if kind in step["kinds"]
    ]
    with pytest.raises(UsageError, match="iteration 7 were not kept"):
        whole.recording.timeline(STEPS)
    with pytest.raises(UsageError, match="no timeline"):
        without_steps.recording.timeline(0)
    assert len(without_steps.recording.timeline()) == 0
    assert without_steps.report["timeline"] is None
    assert without_steps.report["no_timeline"]


def test_a_timeline_of_all_kept_iterations_is_theirs_one_after_the_other(whole: Opened, without_steps: Opened) -> None:
    every = whole.recording.timeline("all")
    single = [list(whole.recording.timeline(step)) for step in range(STEPS)]
    assert [row.iteration for row in every] == [step for step, rows in enumerate(single) for _ in rows]
    before = [sum(len(rows) for rows in single[:step]) for step in range(STEPS)]
    moved = [
        row._replace(
            **{
                name: getattr(row, name) + before[step]
                for name in ("partner_row", "source_row", "completion_row")
                if getattr(row, name) is not None
            }
        )
        for step, rows in enumerate(single)
        for row in rows
    ]
    assert [*every] == moved
    assert len(without_steps.recording.timeline("all")) == 0


def test_another_step_may_be_chosen(whole: Opened) -> None:
    assert len(leadline.open(whole.directory, step="main").iterations()) == len(whole.recording.iterations())
    with pytest.raises(UsageError):
        leadline.open(whole.directory, step="no_such_routine").iterations()


def test_sums_are_the_totals_of_the_report(any_run: Opened) -> None:
    run, report = any_run.recording, any_run.report
    totals = report["totals"]
    for table in (run.calls(), run.sites(), run.ranks()):
        assert sum(table["calls"]) == totals["calls"]
        assert sum(table["messages"]) == totals["messages"]
        assert sum(table["one_sided_operations"]) == totals["one_sided_operations"]
        assert sum(table["bytes_put"]) == totals["bytes_put"]
        assert sum(table["bytes_got"]) == totals["bytes_got"]
    assert same(sum(run.calls()["time_s"]), report["mpi_s"])
    assert same(sum(run.sites()["time_s"]), report["mpi_s"])
    assert same(sum(run.ranks()["mpi_s"]), report["mpi_s"])
    assert same(sum(run.ranks()["time_s"]), report["time_s"])
    assert same(sum(run.ranks()["computation_s"]), report["computation_s"])
    assert sum(run.matrix()["messages"]) == totals["messages"]
    assert sum(run.matrix()["bytes"]) == totals["message_bytes"]
    assert sum(run.ranks()["collective_bytes"]) == totals["collective_bytes"]
    program = [row for row in run.io() if row.layer != "beneath"]
    for name in ("bytes_read", "bytes_written"):
        assert sum(getattr(row, name) for row in program) == report["io"][name]
    assert sum(row.opens + row.closes + row.reads + row.writes + row.others for row in program) == report["io"]["calls"]


def test_rows_of_sites_and_ranks_are_the_entries_of_the_report(any_run: Opened) -> None:
    sites, calls = any_run.recording.sites(), any_run.recording.calls()
    assert len(sites) == len(any_run.report["sites"])
    for row, entry in zip(sites, any_run.report["sites"], strict=True):
        same_names = ("function", "local", "routine", "file", "line", "line_exact", "path_whole", "ranks", "calls",
                      "messages", "bytes", "bytes_received", "time_s", "min_s", "max_s")  # fmt: skip
        assert {name: getattr(row, name) for name in same_names} == {name: entry[name] for name in same_names}
        assert row.path == " > ".join(entry["path"])
        of_ranks = where(calls, site=row.site)
        assert sum(each.calls for each in of_ranks) == row.calls
        assert len(of_ranks) == row.ranks
        assert max(each.calls for each in of_ranks) == entry["calls_max"]
        if row.max_s is not None:
            assert max(each.max_s for each in of_ranks) == row.max_s
            assert min(each.min_s for each in of_ranks) == row.min_s
    ranks = any_run.recording.ranks()
    for row, entry in zip(ranks, any_run.report["ranks_detail"], strict=True):
        same_names = tuple(name for name in ranks.columns if name in entry)
        assert {name: getattr(row, name) for name in same_names} == {name: entry[name] for name in same_names}
        assert row.mpi_io_s == entry["by_kind_s"]["io"]
        assert same(sum(entry["by_kind_s"].values()), row.mpi_s)


def test_site_and_process_tie_the_tables_together(any_run: Opened) -> None:
    run = any_run.recording
    ranks, sites = list(run.ranks()), list(run.sites())
    assert [row.process for row in ranks] == [*range(len(ranks))]
    assert [row.site for row in sites] == [*range(len(sites))]
    for row in run.calls():
        assert (ranks[row.process].world, ranks[row.process].rank) == (row.world, row.rank)
        assert sites[row.site].function == row.function
    for row in run.matrix():
        assert ranks[row.process].rank == row.source


def test_a_rank_without_a_trace_is_a_loss(without_rank_1: Opened) -> None:
    run = without_rank_1.recording
    assert [(row.process, row.rank) for row in run.ranks()] == [(0, 0), (1, 2)]
    assert set(run.calls()["rank"]) == {0, 2}
    assert [(row.source, row.target) for row in run.matrix()] == [(0, 1), (2, 0)]
    (loss,) = where(run.losses(), code="missing-ranks")
    assert (loss.amount, loss.process, loss.world, loss.rank) == (1, None, None, None)
    assert "rank 1" in loss.message


def test_a_loss_names_its_rank(whole: Opened, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    shutil.copytree(whole.directory, directory)
    (trace,) = directory.glob("rank-00002-*.trace")
    trace.write_bytes(trace.read_bytes()[:-40])
    rows = [row for row in leadline.open(directory).losses() if row.process is not None]
    assert rows
    assert {(row.world, row.rank) for row in rows} == {(0, 2)}


def test_a_run_without_a_step_has_empty_tables(without_steps: Opened) -> None:
    run = without_steps.recording
    for table in (run.matrix(), run.iterations(), run.losses()):
        assert len(table) == 0
        assert list(table) == []
    assert len(run.ranks()) == RANKS


def test_processes_of_two_worlds_and_of_none() -> None:
    """Process 0 is of no known world, 1 and 2 are ranks 0 and 1 of world 1, 3 is rank 0 of world 0."""
    worlds = [SimpleNamespace(processes={0: 3}), SimpleNamespace(processes={0: 1, 1: 2})]
    run: Any = SimpleNamespace(worlds=worlds, order=[3, 1, 2, 0], processes=[None] * 4)
    assert world_ranks_of(run) == [(3, -1, -1), (1, 1, 0), (2, 1, 1), (0, 0, 0)]


def test_what_holds_no_run_is_said_in_words(whole: Opened, tmp_path: Path) -> None:
    for error in (NoSuchRun, FileNotFoundError, UsageError):
        with pytest.raises(error, match=r"^no such directory: .*nowhere$"):
            leadline.open(tmp_path / "nowhere")
    with pytest.raises(DamagedTrace, match=r"no trace .* in "):
        leadline.open(tmp_path)
    (tmp_path / "rank-00000-a-1.trace").write_bytes(b"no trace at all")
    with pytest.raises(DamagedTrace, match="cannot read any trace in "):
        leadline.open(tmp_path)
    (good,) = whole.directory.glob("rank-00000-*.trace")
    assert len(leadline.open(str(good)).ranks()) == 1


WITHOUT_ANY = """
import sys
for name in ("polars", "pandas", "pyarrow", "duckdb", "numpy", "nanoarrow"):
    sys.modules[name] = None
import csv, io, leadline
from leadline.errors import MissingPrerequisite
run = leadline.open(sys.argv[1])
for name in ("calls", "sites", "matrix", "ranks", "iterations", "io", "losses"):
    table = getattr(run, name)()
    rows = list(table)
    assert len(rows) == len(table), name
    assert all(list(table[column]) == [getattr(row, column) for row in rows] for column in table.columns), name
    csv.writer(io.StringIO()).writerows(table)
for method in (table.to_polars, table.to_pandas, table.to_arrow):
    try:
        method()
    except MissingPrerequisite as error:
        assert "is not installed" in str(error) and "pip install" in error.hint
    else:
        raise AssertionError(method)
"""

REPORT = """
import sys
from leadline.__main__ import main
assert main(["report", sys.argv[1]]) == 0
assert main(["report", sys.argv[1], "--json"]) == 0
wanted = {"polars", "pandas", "pyarrow", "duckdb", "numpy", "nanoarrow", "leadline.tables"} & set(sys.modules)
assert not wanted, wanted
"""


@pytest.mark.parametrize("program", [WITHOUT_ANY, REPORT], ids=["tables", "report"])
def test_no_frame_library_is_needed(program: str, whole: Opened) -> None:
    done = subprocess.run([sys.executable, "-c", program, whole.directory], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
