"""The lower bound of an operation, if a message of n bytes takes alpha + n beta.

A process can send one message and receive one at a time; processes reduce at gamma seconds a byte. The bound itself is
src/collectives/bound.hpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadline import _core

LARGE = 65536  # bytes from which a message's time says something of the bandwidth


@dataclass(frozen=True)
class Network:
    """alpha_us: of an empty message. beta_us, gamma_us: of one byte of a message, and of a sum of doubles."""

    alpha_us: float
    beta_us: float
    gamma_us: float

    def as_dict(self) -> dict[str, float]:
        return {"alpha_us": self.alpha_us, "beta_us_per_byte": self.beta_us, "gamma_us_per_byte": self.gamma_us}


def fit(messages: Sequence[tuple[int, int]], reductions: Sequence[tuple[int, int]]) -> Network | None:
    """The most favourable network that the measured times (bytes, ns) allow, because a bound must not be too high.

    alpha: the fastest small message; beta, gamma: the best of any large one. None without messages.
    """
    small = [ns for n_bytes, ns in messages if n_bytes < LARGE]
    large = [(n_bytes, ns) for n_bytes, ns in messages if n_bytes >= LARGE]
    if not small or not large:
        return None
    alpha = min(small)
    beta = min(max(ns - alpha, 0) / n_bytes for n_bytes, ns in large)
    gamma = min((ns / n_bytes for n_bytes, ns in reductions if n_bytes), default=0.0)
    return Network(alpha * 1e-3, beta * 1e-3, gamma * 1e-3)


def bound_us(operation: str, n_bytes: int, processes: int, network: Network) -> float:
    """The least time of the operation in microseconds; 0 if nothing needs to be sent."""
    if processes < 2:
        return 0.0
    if operation in {"p2p", "latency", "netpipe"}:
        return network.alpha_us + n_bytes * network.beta_us
    us = 1e-6
    return (
        _core.collective_bound(
            operation, processes, n_bytes, network.alpha_us * us, network.beta_us * us, network.gamma_us * us
        )
        / us
    )
