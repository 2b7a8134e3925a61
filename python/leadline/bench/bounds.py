"""The lower bound of an operation in the network that a bench measured."""

from __future__ import annotations

from collections.abc import Sequence

from leadline import _core
from leadline._core import Network

US = 1e-3  # of a nanosecond


def fit(messages: Sequence[tuple[int, int]], reductions: Sequence[tuple[int, int]]) -> Network | None:
    """The most favourable network that the measured times (bytes, ns) allow, because a bound must not be too high.

    None without small and large messages. Source: src/network/measured.hpp.
    """
    return _core.most_favourable_network(messages, reductions)


def bound_us(operation: str, n_bytes: int, processes: int, network: Network) -> float:
    """The least time of the operation in microseconds; 0 if nothing needs to be sent."""
    if processes < 2:
        return 0.0
    if operation in {"p2p", "latency", "netpipe"}:
        return network.most_favourable().message_ns(n_bytes) * US
    return _core.collective_bound_ns(operation, processes, n_bytes, network) * US


def as_dict(network: Network) -> dict[str, float]:
    """As --json prints it: the times of an empty message, and of a byte of a message and of a sum of doubles."""
    piece = network.most_favourable()
    return {
        "alpha_us": piece.message_ns(0) * US,
        "beta_us_per_byte": piece.per_byte_ns * US,
        "gamma_us_per_byte": network.reduce_per_byte_ns * US,
    }
