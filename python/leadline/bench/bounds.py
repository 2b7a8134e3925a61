"""The lower bound of an operation in the network that a bench measured, and the model's time in a given one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadline import _core
from leadline._core import Network
from leadline.bench.asking import Candidate, portfolio

US = 1e-3  # of a nanosecond


def fit(messages: Sequence[tuple[int, int]], reductions: Sequence[tuple[int, int]]) -> Network | None:
    """The most favourable network that the measured times (bytes, ns) allow, because a bound must not be too high.

    None without small and large messages. Source: src/network/measured.hpp.
    """
    return _core.most_favourable_network(messages, reductions)


def bound_us(operation: str, n_bytes: int, processes: int, network: Network, dims: Sequence[int] = ()) -> float:
    """The least time of the operation in microseconds; 0 if nothing needs to be sent.

    dims: sides of the grid whose neighbours exchange data: a port lets through a block for each neighbour that is not
    the rank itself.
    """
    if processes < 2:
        return 0.0
    if dims:
        piece, neighbours = network.most_favourable(), sum(2 for side in dims if side > 1)
        return (piece.message_ns(0) + neighbours * n_bytes * piece.per_byte_ns) * US if n_bytes else 0.0
    if operation in {"p2p", "latency", "netpipe"}:
        return network.most_favourable().message_ns(n_bytes) * US
    return _core.collective_bound_ns(operation, processes, n_bytes, network) * US


@dataclass(frozen=True)
class Model:
    """A network, and where the ranks are in it: on so many nodes, as many on each, in the order of their numbers.

    nodes: 0: on those that they are on.
    """

    network: Network
    root: int = 0
    nodes: int = 0

    def time_us(self, operation: str, candidate: Candidate, n_bytes: int, processes: int, hosts: int) -> float | None:
        """The time of one of our algorithms in microseconds. None: it is not ours, or cannot be used, or it is not
        known which ranks are on which of several hosts.

        Source: src/collectives/cost.cpp.
        """
        if (operation, candidate.name) not in {(found.operation, found.name) for found in portfolio()}:
            return None
        if not self.nodes and hosts > 1:
            return None
        element = 8 if n_bytes % 8 == 0 else 1
        nodes = [rank * max(self.nodes, 1) // processes for rank in range(processes)]
        ns = _core.collective_model_ns(
            operation, candidate.name, processes, n_bytes // element, element, candidate.segment_bytes, self.network,
            candidate.radix, self.root, nodes,
        )  # fmt: skip
        return ns * US if ns >= 0 else None


def as_dict(network: Network) -> dict[str, float]:
    """As --json prints it: the times of an empty message, and of a byte of a message and of a sum of doubles."""
    piece = network.most_favourable()
    return {
        "alpha_us": piece.message_ns(0) * US,
        "beta_us_per_byte": piece.per_byte_ns * US,
        "gamma_us_per_byte": network.reduce_per_byte_ns * US,
    }
