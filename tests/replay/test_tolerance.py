"""Latency that a run tolerates: of times that grow in straight pieces, as those of replays do."""

from __future__ import annotations

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.figures.run import Run
from leadline.network import parse
from leadline.predict import Change, Replays
from leadline.predict.tolerance import MOST_S, tolerance_of, with_latency


def of_paths(*paths: tuple[float, int]) -> tuple[list[float], object]:
    """paths: seconds without the delay, and messages."""
    asked: list[float] = []

    def replayed(added_s: float) -> tuple[float, float]:
        asked.append(added_s)
        seconds, messages = max((round(base + added_s * n, 12), n) for base, n in paths)
        return seconds, messages

    return asked, tolerance_of(replayed)


def test_one_path_takes_a_latency_for_each_message() -> None:
    asked, found = of_paths((1.0, 1000))
    assert [longer for longer, _ in found.longer] == [0.01, 0.02, 0.05]
    assert [added for _, added in found.longer] == pytest.approx([1e-5, 2e-5, 5e-5])
    assert found.slope == 1000
    assert found.bends_s is None
    assert len(asked) <= 4


def test_another_path_becomes_the_longest_one() -> None:
    """The second one does from 10 µs on: 0.99 + 2000 x = 1 + 1000 x."""
    asked, found = of_paths((1.0, 1000), (0.99, 2000))
    assert [added for _, added in found.longer] == pytest.approx([1e-5, 1.5e-5, 3e-5])
    assert found.bends_s == pytest.approx(1e-5)
    assert len(asked) <= 12


def test_a_path_without_messages_hides_latency_up_to_where_it_bends() -> None:
    _, found = of_paths((1.0, 0), (0.9, 100), (0.5, 10_000))
    assert found.slope == 0
    assert found.bends_s == pytest.approx(0.5 / 10_000)
    assert [added for _, added in found.longer] == pytest.approx([0.51 / 10_000, 0.52 / 10_000, 0.55 / 10_000])


def test_a_run_without_messages_tolerates_any() -> None:
    _, found = of_paths((1.0, 0))
    assert [added for _, added in found.longer] == [None] * 3
    assert found.bends_s is None
    assert MOST_S == 1.0


def test_waits_that_bend_the_other_way_are_found_all_the_same() -> None:
    """A port in which messages wait less once they come apart."""

    def replayed(added_s: float) -> tuple[float, float]:
        before = min(added_s, 1e-5)
        return round(1 + 2000 * before + 500 * (added_s - before), 12), 2000 if added_s < 1e-5 else 500

    found = tolerance_of(replayed)
    assert [added for _, added in found.longer] == pytest.approx([5e-6, 1e-5, 7e-5])
    assert found.bends_s is None  # it never grows faster


def test_only_latencies_grow() -> None:
    text = "schema = 1\ncall_ns = 3\n[port]\ngap_ns = 7\n[link.node]\neager_bytes = 9\n"
    short = "[[link.node.piece]]\nlatency_ns = 100\noverhead_ns = 5\n"
    network = parse(f"{text}{short}[[link.node.piece]]\nfrom_bytes = 8\nlatency_ns = 200\n").network
    more = with_latency(network, 1e-6)
    link = more.own("node")
    assert [piece.latency_ns for piece in link.pieces] == pytest.approx([1100, 1200])
    assert (link.eager_bytes, link.pieces[0].overhead_ns, more.call_ns, more.port.gap_ns) == (9, 5, 3, 7)
    assert [piece.latency_ns for piece in network.own("node").pieces] == [100, 200]
    assert not more.own("other_node").pieces


def test_a_replay_with_that_latency_takes_as_much_longer(run: Run) -> None:
    network = parse("schema = 1\n[[link.node.piece]]\nlatency_ns = 1e5\noverhead_ns = 100\n").network
    replays = Replays(run)
    base_s = replays.seconds(Change(network=network))
    found = replays.tolerance(Change(network=network))
    assert found.slope > 0
    for longer, added in found.longer:
        assert added is not None
        later = replays.seconds(Change(network=with_latency(network, added)))
        assert later == pytest.approx(base_s * (1 + longer), rel=1e-6)
    as_recorded = replays.tolerance(Change())
    assert as_recorded.slope >= 0
