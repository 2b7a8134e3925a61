"""What packing costs besides its messages, and what is not known of it.

A packed message is copied together by its sender and apart by its receiver. Where all iterations compute before any of
them exchanges, what they share no longer stays in the caches: no recording says how much that matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadline import _core
from leadline.predict.changes import AnyChange, Computation, Pack
from leadline.text import format as fmt

SLOWER = 1.2  # computation between packed calls, at most: 1.18 in advection of the one program that was measured


@dataclass(frozen=True)
class CopyRates:
    """ns for each byte of a packed message, once at either end."""

    low: float
    likely: float
    high: float
    assumed: bool


# Where no network gives them: those of leadline calibrate on one machine (EPYC, Zen 3), contiguous within the caches,
# contiguous beyond them, and single numbers beyond them.
ASSUMED = CopyRates(0.04, 0.25, 3.5, assumed=True)


def copy_rates(network: _core.Network | None) -> CopyRates:
    """likely: contiguous, beyond the caches, since there are more of them."""
    if network is None or network.copy_per_byte_ns <= 0:
        return ASSUMED
    low = network.copy_per_byte_ns
    likely = max(low, network.copy_uncached_per_byte_ns)
    strided = max(network.copy_strided_per_byte_ns, network.copy_strided_uncached_per_byte_ns)
    return CopyRates(low, likely, max(likely, strided), assumed=False)


def assumption(rates: CopyRates) -> str:
    where = "assumed" if rates.assumed else "by the network's file"
    return (
        f"Packing: each end copies a packed message at {rates.likely:.2g} ns a byte ({rates.low:.2g} to "
        f"{rates.high:.2g}, {where}). Computing all before exchanging all may also slow the computation down, as it no "
        "longer finds its data in the caches. The recording does not say how much: the interval goes up to computation "
        f"that takes {fmt.percent(SLOWER - 1)} longer at what is packed, as in the one program that was measured."
    )


def pessimistic(program: Sequence[AnyChange]) -> tuple[AnyChange, ...]:
    """The changes, with computation at what is packed as slow as it may become."""
    return (*program, *(Computation(one.sites, SLOWER, one.members) for one in program if isinstance(one, Pack)))
