"""Reductions of a solver, apart: recognised by what its loop does, and one of them instead of all, replayed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from replay.predicted_runs import record

from leadline import network
from leadline.advice.candidate import Candidate
from leadline.advice.kinds import merge_later
from leadline.figures.content import Content
from leadline.figures.run import Run
from leadline.predict import Change, Replays

TRIPS = 12  # of tests/programs/solver.c


@pytest.fixture(scope="module")
def solvers(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return record(tmp_path_factory.mktemp("solvers"), "solver.c", "-g")


@pytest.fixture(scope="module")
def merged(solvers: Run) -> Candidate:
    """The only one: not of a loop with two exchanges, with another collective, or without messages."""
    (found,) = merge_later.candidates(Content(solvers))
    return found


def test_a_solver_is_a_loop_with_one_exchange_and_some_sums(merged: Candidate) -> None:
    assert "(conjugate)" in merged.title
    assert merged.title.endswith("in place of 2")  # not of what it does before it ends
    assert {site.function for site in merged.sites} == {"MPI_Allreduce"}
    assert len(merged.sites) == merged.together == 2


def test_it_pays_where_a_reduction_takes_long(solvers: Run, merged: Candidate) -> None:
    """A second for a message: half of the reductions are not made. None: nothing but the vector that is updated."""
    replays = Replays(solvers)

    def gained_s(latency_ns: float) -> float:
        slow = network.parse(f"schema = 1\n[[link.node.piece]]\nlatency_ns = {latency_ns}\noverhead_ns = 1\n").network
        before = replays.seconds(Change(network=slow))
        return before - replays.seconds(Change(network=slow, program=merged.changes))

    steps = solvers.profile.loops.iterations(solvers.profile.loops.main)
    assert gained_s(1e9) >= 0.9 * (steps - 1) * TRIPS
    assert gained_s(0) < 0.01 * steps
