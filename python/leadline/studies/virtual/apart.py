"""What makes the difference between two environments: the same program recorded in both, each recording replayed on
either environment's network, and on networks that have the latency of one and the bandwidth of the other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from leadline import _core
from leadline.errors import MeasurementFailed
from leadline.figures.run import Run
from leadline.predict import Change, NoNoise, Replays
from leadline.text import format as fmt

FACTORS = ("computation", "latency", "bandwidth")
JITTER, REST = "jitter of computation", "jitter of messages and what the replay lacks"
FAR_OFF = 0.1
NEAREST_FIRST = ("core_complex", "socket", "node", "other_node")


@dataclass(frozen=True)
class Part:
    """seconds: of the difference.   low, high: by the order in which the causes are exchanged."""

    name: str
    seconds: float
    low: float
    high: float


@dataclass(frozen=True)
class Apart:
    """difference_s: measured, second - first.   replayed_s: of each recording on its own network."""

    nodes: int
    difference_s: float
    measured_s: tuple[float, float]
    replayed_s: tuple[float, float]
    parts: tuple[Part, ...]

    def as_dict(self) -> dict[str, Any]:
        return {**vars(self), "parts": [vars(part) for part in self.parts]}


def only_link(network: _core.Network) -> _core.NetworkLink:
    """Of a network that two processes were measured on."""
    links = [link for name in NEAREST_FIRST if (link := network.own(name)).pieces]
    return links[-1]


def mixed(latency: _core.Network, bandwidth: _core.Network) -> _core.Network:
    """What a message costs whatever its size, and when it waits for its receiver, from the one; what each byte costs
    from the other. The same between any two processes."""
    first, second = only_link(latency), only_link(bandwidth)
    link = _core.NetworkLink()
    link.eager_bytes, link.handshake_ns, link.progresses = first.eager_bytes, first.handshake_ns, first.progresses
    edges = sorted({piece.from_bytes for each in (first, second) for piece in each.pieces})
    link.pieces = [_piece(edge, _at(first, edge), _at(second, edge)) for edge in edges]
    network = _core.Network()
    network.call_ns = latency.call_ns
    network.reduce_per_byte_ns = bandwidth.reduce_per_byte_ns
    for name in NEAREST_FIRST:
        network.set(name, link)
    return network


def _at(link: _core.NetworkLink, n_bytes: int) -> _core.NetworkPiece:
    return [piece for piece in link.pieces if piece.from_bytes <= n_bytes][-1]


def _piece(edge: int, latency: _core.NetworkPiece, bandwidth: _core.NetworkPiece) -> _core.NetworkPiece:
    piece = _core.NetworkPiece()
    piece.from_bytes = edge
    piece.latency_ns, piece.overhead_ns, piece.gap_ns = latency.latency_ns, latency.overhead_ns, latency.gap_ns
    piece.per_byte_ns, piece.overhead_per_byte_ns = bandwidth.per_byte_ns, bandwidth.overhead_per_byte_ns
    received = latency.receive_overhead_ns
    piece.receive_overhead_ns = latency.overhead_ns if received < 0 else received
    as_sender = bandwidth.receive_overhead_ns < 0
    piece.receive_overhead_per_byte_ns = (
        bandwidth.overhead_per_byte_ns if as_sender else bandwidth.receive_overhead_per_byte_ns
    )
    return piece


def shares(value: Callable[[tuple[int, ...]], float]) -> list[tuple[float, float, float]]:
    """Of each factor: its mean, least and greatest contribution over all orders in which the factors go from 0 to 1.

    value: of a state, a 0 or 1 for each of FACTORS. The means add up to value(1, 1, 1) - value(0, 0, 0) (Shapley).
    """
    gains: list[list[float]] = [[] for _ in FACTORS]
    for order in itertools.permutations(range(len(FACTORS))):
        state = [0] * len(FACTORS)
        for factor in order:
            before = value(tuple(state))
            state[factor] = 1
            gains[factor].append(value(tuple(state)) - before)
    return [(math.fsum(each) / len(each), min(each), max(each)) for each in gains]


def taken_apart(
    nodes: int,
    runs: Sequence[Run],
    runs_s: Sequence[float],
    measured_s: tuple[float, float],
    networks: Sequence[_core.Network],
) -> Apart:
    """runs: of the first environment, and of the second.   runs_s: of these, without the start and the end of MPI,
    which replays have.   measured_s: medians of the repeats, likewise.

    Raises LeadlineError if a recording cannot be replayed, or takes longer so than it did.
    """
    replays = [Replays(run) for run in runs]
    around_s = [_whole_s(each) - alone_s for each, alone_s in zip(replays, runs_s, strict=True)]
    known: dict[tuple[tuple[int, ...], bool], float] = {}

    def seconds(state: tuple[int, ...], *, quiet: bool = False) -> float:
        if (state, quiet) not in known:
            computation, latency, bandwidth = state
            program = (NoNoise(),) if quiet else ()
            change = Change(network=mixed(networks[latency], networks[bandwidth]), program=program)
            known[state, quiet] = replays[computation].seconds(change) - around_s[computation]
        return known[state, quiet]

    def noise(state: tuple[int, ...]) -> float:
        return seconds(state) - seconds(state, quiet=True)

    ends = seconds((0, 0, 0)), seconds((1, 1, 1))
    for replayed_s, recorded_s in zip(ends, measured_s, strict=True):
        if replayed_s > recorded_s * (1 + FAR_OFF):
            raise MeasurementFailed(
                f"a replay takes {fmt.seconds(replayed_s)}, its run took {fmt.seconds(recorded_s)}: "
                "the measured network is slower than the run's"
            )
    computation, latency, bandwidth = shares(seconds)
    jitter_s = noise((1, 1, 1)) - noise((0, 0, 0))
    quiet = tuple(each - jitter_s for each in computation)
    difference_s = measured_s[1] - measured_s[0]
    rest_s = difference_s - (ends[1] - ends[0])
    parts = [Part(name, *each) for name, each in zip(FACTORS, (quiet, latency, bandwidth), strict=True)]
    parts += [Part(JITTER, jitter_s, jitter_s, jitter_s), Part(REST, rest_s, rest_s, rest_s)]
    return Apart(nodes, difference_s, measured_s, ends, tuple(parts))


def _whole_s(replays: Replays) -> float:
    """As recorded."""
    whole_s = replays.times["whole"]
    if whole_s is None:
        raise MeasurementFailed("the times in a recording are incomplete")
    return whole_s
