"""What an operation must take at least, where a message of n bytes takes alpha + n beta.

A process can send one message and receive one at a time; processes reduce at gamma seconds a byte.
Source: Chan, Heimlich, Purkayastha, van de Geijn, "Collective communication: theory, practice, and experience",
Concurrency and Computation 19 (2007), table 1: the greatest of latency, bandwidth and computation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
    """The most favourable network that the measured times (bytes, ns) allow, for a bound must not be too high.

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
    """The least time of the operation in microseconds; 0 where nothing need be sent."""
    if processes < 2:
        return 0.0
    rounds = (processes - 1).bit_length()
    share = (processes - 1) / processes
    if operation in {"p2p", "latency", "netpipe"}:
        return network.alpha_us + n_bytes * network.beta_us
    if n_bytes == 0:
        return 0.0
    latency = rounds * network.alpha_us
    computation = share * n_bytes * network.gamma_us
    if operation == "bcast":
        return max(latency, n_bytes * network.beta_us)
    if operation == "reduce":
        return max(latency, n_bytes * network.beta_us, computation)
    return max(latency, 2 * share * n_bytes * network.beta_us, computation)
