"""Another algorithm of a collective is proposed where the network that was asked for makes it pay."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from replay.predicted_runs import record

from leadline import network
from leadline import predict as predicting
from leadline.advice import advise
from leadline.figures.run import Run
from leadline.predict import prediction

RANKS, STEPS, N_BYTES = 8, 20, 1 << 16  # of tests/programs/broadcasts.c


@pytest.fixture(scope="module")
def broadcasts(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return record(tmp_path_factory.mktemp("broadcasts"), "broadcasts.c", ranks=RANKS, steps=STEPS)


@pytest.fixture(autouse=True)
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """That ranks share cores does not end it: the network is slow beside all that the run took."""
    monkeypatch.setattr(predicting, "why_spoiled", lambda run: None)
    monkeypatch.setattr(prediction, "_is_far_off", lambda errors: False)


def network_of(latency_ns: float, per_byte_ns: float) -> network.Described:
    return network.parse(
        f"schema = 1\n[[link.node.piece]]\nlatency_ns = {latency_ns}\noverhead_ns = 1\nper_byte_ns = {per_byte_ns}\n"
    )


def test_where_latency_counts_a_broadcast_takes_fewer_rounds(broadcasts: Run) -> None:
    """MPICH would scatter 64 KiB and collect it, in two times log2 of the ranks rounds; a tree needs half of that at
    most."""
    found = advise(broadcasts, network=network_of(1e9, 0).network)
    best = found.proposals[0]
    assert best.candidate.kind == "algorithm"
    assert {site.function for site in best.candidate.sites} == {"MPI_Bcast"}
    assert best.gain.share >= 0.45
    assert "leadline bench bcast --algorithms " in best.candidate.text


def test_without_a_network_nothing_is_said_of_algorithms(broadcasts: Run) -> None:
    found = advise(broadcasts)
    assert all(each.candidate.kind != "algorithm" for each in (*found.proposals, *found.not_worth_it))
