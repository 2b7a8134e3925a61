"""What changes cost that no recording says, so that it is a part of the interval.

A message that carries several is copied together by its sender and apart by its receiver. Where all iterations compute
before any of them exchanges, what they share no longer stays in the caches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from leadline import _core
from leadline.predict.changes import Algorithm, AnyChange, Computation, Gather, Join, Merge, Nonblocking, Overlap, Pack
from leadline.text import format as fmt

SLOWER = 1.2  # computation between packed calls, at most: 1.18 in advection of the one program that was measured


@dataclass(frozen=True)
class CopyRates:
    """ns for each byte of a packed message, once at either end."""

    low: float
    likely: float
    high: float
    assumed: bool

    @property
    def least(self) -> float:
        """A library may move a longer message with fewer copies of its own: then packing costs nothing more."""
        return 0.0 if self.assumed else self.low


# Where no network gives them: those of one idle machine (AMD EPYC), contiguous within the caches (3.7 MB), contiguous
# beyond them, and twice those of single numbers beyond them, since machines differ.
ASSUMED = CopyRates(0.014, 0.09, 1.9, assumed=True)


def copy_rates(network: _core.Network | None) -> CopyRates:
    """likely: contiguous, beyond the caches, since there are more of them."""
    if network is None or network.copy_per_byte_ns <= 0:
        return ASSUMED
    low = network.copy_per_byte_ns
    likely = max(low, network.copy_uncached_per_byte_ns)
    strided = max(network.copy_strided_per_byte_ns, network.copy_strided_uncached_per_byte_ns)
    return CopyRates(low, likely, max(likely, strided), assumed=False)


def makes_longer(change: AnyChange | Algorithm) -> bool:
    """Whether messages become longer, so that each end copies what they are made of."""
    return isinstance(change, Pack | Join | Merge)


def is_uncertain(change: AnyChange | Algorithm) -> bool:
    """Whether the interval of a prediction holds more than what iterations differ by."""
    if isinstance(change, Overlap):
        return not change.independent
    return makes_longer(change) or isinstance(change, Nonblocking | Gather)


def slowest_copy(program: Sequence[AnyChange], rates: CopyRates) -> float | None:
    """ns for each byte; None: as is likely, since nothing is copied. What whole exchanges sent is contiguous already;
    single messages may be single numbers. The root of a gather copies its own part."""
    if not any(map(makes_longer, program)):
        return rates.likely if any(isinstance(one, Gather) for one in program) else None
    single = any(isinstance(one, Join) or (isinstance(one, Pack) and not one.cached) for one in program)
    return rates.high if single else rates.likely


def assumptions(program: Sequence[AnyChange], rates: CopyRates) -> list[str]:
    """Sentences."""
    found = []
    if any(map(makes_longer, program)):
        slowest = slowest_copy(program, rates) or rates.likely
        where = "assumed" if rates.assumed else "by the network's file"
        found.append(
            f"Packing and merging: each end copies the data at {rates.likely:.2g} ns a byte, and at {rates.low:.2g} ns "
            f"where a message has at most 4 MiB ({rates.least:.2g} to {slowest:.2g}, {where})."
        )
    if any(isinstance(one, Pack) for one in program):
        found.append(
            "Packing: computing all before exchanging all may also slow the computation down, as it no longer finds "
            "its data in the caches. The recording does not say how much: the interval goes up to computation that "
            f"takes {fmt.percent(SLOWER - 1)} longer at what is packed, as in the one program that was measured."
        )
    if any(isinstance(one, Merge) for one in program):
        found.append("Merging: no exchange or collective call may need what an earlier one of them brought.")
    if any(isinstance(one, Nonblocking | Overlap) for one in program):
        found.append("Nonblocking messages: none that is sent may need what a receive of the same exchange brings.")
    if any(isinstance(one, Overlap) for one in program):
        found.append(
            "Overlap: all that ranks compute between an exchange and their next call is assumed to need nothing that "
            "is received. The interval goes up to none of it."
        )
    return found


def pessimistic(program: Sequence[AnyChange]) -> tuple[AnyChange, ...]:
    """The changes, with computation at what is packed as slow as it may become, and without any that overlaps."""
    slower = [Computation(one.sites, SLOWER, one.members) for one in program if isinstance(one, Pack) and one.computes]
    together = (replace(one, part=0.0) if isinstance(one, Overlap) and not one.independent else one for one in program)
    return (*together, *slower)
