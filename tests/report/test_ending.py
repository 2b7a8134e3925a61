"""Ranks that ended in MPI_Init or right after it, in runs built by hand."""

from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.figures.ending import ended_at_start
from leadline.figures.unfinished import Stop
from leadline.report import to_json
from leadline.wording import endings

from .handmade import Calls, HandmadeSite, a_process

KILLED = {"complete": False, "finalized": False}
IN_INIT = {**KILLED, "initialized": False, "initializing": True, "duration_ns": 0.0}
ONCE = Calls(1, 1e6)


def calls(*, init: list[int], barrier: list[int] = (), abort: list[int] = ()) -> list[HandmadeSite]:  # type: ignore[assignment]
    """Which ranks came back from which call."""
    path = ["main a.cpp:1"]
    sites = [HandmadeSite("MPI_Init", "init", path, dict.fromkeys(init, ONCE))]
    sites.append(HandmadeSite("MPI_Barrier", "coll", path, dict.fromkeys(barrier, ONCE)))
    sites.append(HandmadeSite("MPI_Abort", "abort", path, dict.fromkeys(abort, ONCE)))
    return [site for site in sites if site.by_rank]


def test_all_ranks_ended_at_their_start(make_run: Any) -> None:
    processes = [
        a_process(0, 4, **IN_INIT),
        a_process(1, 4, **KILLED),
        a_process(2, 4, **KILLED),
        a_process(3, 4, **KILLED),
    ]
    report = to_json(make_run(calls(init=[1, 2, 3], abort=[3]), processes, []))
    assert report["verdict"] == (
        "The run ended during start-up: MPI_Init did not return on rank 0; ranks 1, 2 made only local calls after "
        "MPI_Init; rank 3 called MPI_Abort right after MPI_Init."
    )
    expected = {"all_ranks": True, "in_init": [0], "after_init": [1, 2], "aborted": [3]}
    assert report["ended_at_start"] == expected
    assert [report["mpi_share"], report["duration_s"], report["overhead"]["fraction"]] == [None, None, None]


def test_a_rank_in_a_call_waited_for_the_one_that_crashed(make_run: Any) -> None:
    in_barrier = [(1_000_000, True, 0, 0, 2_000_000)]
    processes = [
        a_process(0, 2, **KILLED, ends=[(1_500_000, False, 0, 0, 0)]),
        a_process(1, 2, **KILLED, ends=in_barrier),
    ]
    sites = calls(init=[0, 1])
    sites.append(HandmadeSite("MPI_Barrier", "coll", ["main a.cpp:1"], {1: Calls(0, 0.0)}))
    ended = ended_at_start(make_run(sites, processes, []))
    assert ended.after_init == ("0", "1")
    assert endings.of_a_start(ended) == (
        "The run ended during start-up: rank 0 made only local calls after MPI_Init; rank 1 had entered MPI_Barrier."
    )


def test_the_rank_that_others_waited_for_stopped_first() -> None:
    crashed = Stop("0", "n", None, "", 0.4, 0.4, 0.5, "command")
    waiting = Stop("1", "n", "MPI_Barrier", "main", 0.4, 0.41, 0.5, "command")
    said = endings.of_the_first_to_stop([crashed, waiting], None)
    assert said == "Rank 0 stopped first: its last call ended 400 ms after the start."
    assert endings.of_the_first_to_stop([waiting, replace(waiting, label="2", since_s=0.42)], None) == ""


def test_one_rank_ended_at_its_start(make_run: Any) -> None:
    processes = [a_process(0, 3), a_process(1, 3, **IN_INIT), a_process(2, 3)]
    report = to_json(make_run(calls(init=[0, 2], barrier=[0, 2]), processes, []))
    assert report["verdict"].startswith("Incomplete: 1 trace ends before the program did. ")
    assert report["verdict"].endswith("MPI_Init did not return on rank 1.")
    assert (report["ended_at_start"]["all_ranks"], report["ended_at_start"]["in_init"]) == (False, [1])
    assert report["mpi_share"] > 0
    assert report["duration_s"] == 10.0


def test_a_rank_that_was_killed_later_did_not_end_at_its_start(make_run: Any) -> None:
    processes = [a_process(0, 2), a_process(1, 2, **KILLED)]
    report = to_json(make_run(calls(init=[0, 1], barrier=[0, 1]), processes, []))
    assert report["ended_at_start"] is None


def test_leadlines_own_time_is_no_share_of_a_shorter_run(make_run: Any) -> None:
    short = {"duration_ns": 2e6, "own_overhead_ns": 30e6}
    report = to_json(make_run(calls(init=[0], barrier=[0]), [a_process(0, 1, **short)], []))
    assert report["overhead"]["fraction"] is None
