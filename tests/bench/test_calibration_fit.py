"""From measured times to a network, and back: times that are made of known parameters give these again."""

from __future__ import annotations

import random

import pytest

from leadline.bench.launching import Noise
from leadline.calibration import Launch, calibration_of, why_too_noisy
from leadline.calibration.fitting import MOST_STARTS, Line, line_through
from leadline.calibration.measured import Pair, take
from leadline.network import parse, write

SIZES = [0, *[2**k for k in range(27)], *[3 * 2**k for k in range(1, 25)], 5000, 5001]
EAGER, LATENCY, SEND, RECEIVE = 5000, 700.0, 200.0, 300.0


def one_way_ns(n_bytes: int) -> float:
    if n_bytes <= EAGER:
        return SEND + RECEIVE + LATENCY + 0.5 * n_bytes
    return 5000 + 0.1 * n_bytes + 0.15 * max(n_bytes - (1 << 17), 0)


def launch(factor: float = 1.0, lost: float = 0.0, eager: int = EAGER) -> Launch:
    made = Launch("Test MPI 1, of today", 2, 1, noise=[Noise(0, 5, 6, 7, lost, 1)])
    pair = Pair((0, 1), eager)
    pair.asked["round_trip"] = {n: [factor * one_way_ns(n)] * 3 for n in sorted(SIZES)}
    short = [n for n in SIZES if n <= EAGER]
    pair.asked["send"] = {n: [SEND] for n in short} | {5001: [250.0]}
    pair.asked["receive"] = {n: [RECEIVE + 0.1 * n] for n in short}
    pair.asked["stream"] = {n: [max(450.0, 0.45 * n)] for n in short}
    pair.asked["overlap"] = {1 << 20: [one_way_ns(1 << 20)]}
    pair.asked["call"], pair.asked["post"] = {0: [20.0]}, {0: [40.0]}
    made.pairs["other_node"] = pair
    made.memory = {"copy": {1000: [50.0], 9000: [1800.0]}, "reduction": {1000: [100.0], 9000: [3600.0]}}
    made.memory["flag"] = {1: [90.0, 90.0]}
    return made


def test_a_line_is_never_negative() -> None:
    assert line_through([]) == Line()
    assert line_through([(8, 5.0)]) == Line(5.0, 0.0)
    fitted = line_through([(100, 300.0), (200, 500.0)])
    assert (fitted.constant, fitted.slope) == (pytest.approx(100), pytest.approx(2))
    assert line_through([(100, 50.0), (200, 150.0)]).constant == 0  # through 0: the best that is not negative
    assert line_through([(100, 150.0), (200, 50.0)]).slope == 0
    assert line_through([(100, 50.0), (200, 150.0)], floor=20).constant == 20
    assert line_through([(1 << 20, float(1 << 20))]).slope == 1  # one long message says something about longer ones


def test_known_parameters_are_found_again() -> None:
    found = calibration_of([launch(), launch()], date="2026-01-31")
    link = found.described.network.own("other_node")
    assert link.eager_bytes == EAGER
    assert EAGER + 1 in [piece.from_bytes for piece in link.pieces]
    for n_bytes in [*SIZES, 700, 6000, 200_000, 5_000_000]:
        piece = [each for each in link.pieces if each.from_bytes <= n_bytes][-1]
        whole = piece.message_ns(n_bytes) + (link.handshake_ns if n_bytes > EAGER else 0)
        assert whole == pytest.approx(one_way_ns(n_bytes), rel=0.05), n_bytes
    first = link.pieces[0]
    assert (first.overhead_ns, first.receive_overhead_ns) == (pytest.approx(SEND), pytest.approx(RECEIVE))
    assert first.gap_ns == pytest.approx(450, rel=0.1)  # more than either end takes: the port's
    assert link.pieces[-1].per_byte_ns == pytest.approx(0.25, rel=0.01)
    assert not link.progresses
    network = found.described.network
    assert (network.call_ns, found.described.intervals["call_ns"]) == (30, (20, 40))
    assert (network.copy_per_byte_ns, network.copy_uncached_per_byte_ns, network.reduce_per_byte_ns) == (0.05, 0.2, 0.1)
    assert network.flag_ns == 90
    assert network.port.per_byte_ns == 0
    assert any("one pair only" in note for note in found.notes)


def test_times_that_scatter_give_a_file_that_is_read_again() -> None:
    chance = random.Random(1)
    given = launch()
    given.pairs["other_node"].asked["round_trip"] = {
        n: [one_way_ns(n) * chance.uniform(1, 6)] for n in [*SIZES, *range(5100, 6000, 13), *range(90, 4000, 31)]
    }
    found = calibration_of([given]).described
    assert len(parse(write(found)).network.own("other_node").pieces) <= 2 * MOST_STARTS


def test_the_file_is_read_again_with_intervals_source_and_date() -> None:
    found = calibration_of([launch(), launch(1.1)], date="2026-01-31").described
    text = write(found)
    again = parse(text)
    assert write(again) == text
    assert again.intervals == found.intervals
    assert (again.origin.date, again.origin.source[:31]) == ("2026-01-31", "leadline calibrate, Test MPI 1,")
    low, high = again.intervals[f"link.other_node.piece.{len(again.network.own('other_node').pieces) - 1}.per_byte_ns"]
    assert low == pytest.approx(0.25, rel=0.01)
    assert high == pytest.approx(0.275, rel=0.01)


def test_a_message_that_moves_during_computation() -> None:
    moving = launch()
    moving.pairs["other_node"].asked["overlap"] = {1 << 20: [one_way_ns(1 << 20) / 10]}
    assert calibration_of([moving]).described.network.own("other_node").progresses


def test_pairs_that_share_a_port() -> None:
    shared, free = launch(), launch()
    for made, each in ((shared, 1.0), (free, 0.25)):
        made.flows = {("other_node", pairs, n): [800.0 if n == 8 else n * (1 if pairs == 1 else each)]
                      for pairs in (1, 4) for n in (8, 1 << 20)}  # fmt: skip
    port = calibration_of([shared]).described.network.port
    assert (port.per_byte_ns, port.gap_ns) == (1, 800)
    found = calibration_of([free])
    assert found.described.network.port.per_byte_ns == 0
    assert "other_node: 4 pairs at once do not slow each other down" in found.notes


def test_when_nothing_can_be_said() -> None:
    assert why_too_noisy([launch(), launch(1.05)]) is None
    assert "12% of the cores' time" in (why_too_noisy([launch(lost=0.12)]) or "")
    assert "1.5 times as long in another launch" in (why_too_noisy([launch(), launch(1.5)]) or "")


def test_the_least_limit_counts() -> None:
    found = calibration_of([launch(), launch(eager=6000)]).described
    assert found.network.own("other_node").eager_bytes == EAGER
    assert found.intervals["link.other_node.eager_bytes"] == (EAGER, 6000)
    assert write(parse(write(found))) == write(found)


def test_lines_of_the_program() -> None:
    found = Launch()
    take(found, ["place 0 0 0 0", "pair socket 0 3", "eager socket 64", "asked socket stream 8 1.5 2.5",
                 "flows node 2 8 3.0", "memory copy 32768 4.0 5.0", "end"])  # fmt: skip
    assert found.pairs == {"socket": Pair((0, 3), 64, {"stream": {8: [1.5, 2.5]}})}
    assert found.flows == {("node", 2, 8): [3.0]}
    assert found.memory == {"copy": {32768: [4.0, 5.0]}}
