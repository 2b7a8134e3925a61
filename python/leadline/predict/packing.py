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
class Copies:
    """ns of a rank's copies. per_byte: by the bytes that it touches in turn.   part: of each part besides.
    fresh: of each byte that arrives from a rank of the same node, which has just written it."""

    per_byte: tuple[tuple[int, float], ...] = ()
    part: float = 0.0
    fresh: float = 0.0

    def at_most(self, per_byte: float) -> Copies:
        return replace(self, per_byte=tuple((n, min(ns, per_byte)) for n, ns in self.per_byte))

    def touching(self, times: float) -> Copies:
        """As if more were touched in turn, by this factor."""
        return replace(self, per_byte=tuple((max(round(n / times), 1), ns) for n, ns in self.per_byte))


@dataclass(frozen=True)
class CopyCosts:
    """As is likely, and at most. At least none: a message may be made in place, or its data type may say where its
    parts are."""

    likely: Copies
    high: Copies
    assumed: bool


NO_COPIES = Copies()
MIB = 1 << 20
PART_NS, MOST_PART_NS = 8.0, 40.0  # a part that is in the caches, or is not
# What was just copied is in the sender's own caches. 72 kB took 0.007 ns a byte longer where two ranks share the third
# cache, and 0.02 where they do not.
FRESH_NS, MOST_FRESH_NS = 0.015, 0.04
# Where no network gives them: contiguous parts, on both ranks of an idle machine at once (AMD EPYC: 1 MiB of second and
# 16 MiB of third cache a core). At most: other machines, and many ranks that share the memory.
ASSUMED = CopyCosts(
    Copies(((MIB, 0.015), (4 * MIB, 0.018), (16 * MIB, 0.028), (64 * MIB, 0.08), (128 * MIB, 0.09)), PART_NS, FRESH_NS),
    Copies(((MIB // 4, 0.06), (4 * MIB, 0.1), (16 * MIB, 0.3), (64 * MIB, 0.6)), MOST_PART_NS, MOST_FRESH_NS),
    assumed=True,
)
SHARE = 4.0  # what else the ranks touch between two exchanges: up to as much more, by this factor


def copy_costs(network: _core.Network | None) -> CopyCosts:
    if network is None or network.copy_per_byte_ns <= 0:
        return ASSUMED
    measured = (
        (32 << 10, network.copy_per_byte_ns),
        (2 * MIB, network.copy_2_mib_per_byte_ns),
        (8 * MIB, network.copy_8_mib_per_byte_ns),
        (64 * MIB, network.copy_uncached_per_byte_ns),
    )
    # A copy of so much touches twice as much.
    likely = Copies(tuple((2 * n_bytes, ns) for n_bytes, ns in measured if ns > 0), PART_NS, FRESH_NS)
    return CopyCosts(likely, replace(likely.touching(SHARE), part=MOST_PART_NS, fresh=MOST_FRESH_NS), assumed=False)


def makes_longer(change: AnyChange | Algorithm) -> bool:
    """Whether messages become longer, so that each end copies what they are made of."""
    return isinstance(change, Pack | Join | Merge)


def is_uncertain(change: AnyChange | Algorithm) -> bool:
    """Whether the interval of a prediction holds more than what iterations differ by."""
    if isinstance(change, Overlap):
        return not change.independent
    return makes_longer(change) or isinstance(change, Nonblocking | Gather)


def assumptions(program: Sequence[AnyChange], costs: CopyCosts) -> list[str]:
    """Sentences."""
    found = []
    if any(map(makes_longer, program)):
        fastest, slowest = (ends(ns for _, ns in costs.likely.per_byte) for ends in (min, max))
        most = max(ns for _, ns in costs.high.per_byte)
        where = "assumed" if costs.assumed else "by the network's file"
        found.append(
            f"Packing and merging: each end copies the data at {fastest:.2g} to {slowest:.2g} ns a byte, the more is "
            f"packed the slower, and {costs.likely.part:.0f} ns for each part (0 to {most:.2g} ns a byte, {where}). "
            f"What a rank of the same node has just copied takes {costs.likely.fresh:.2g} ns a byte longer to arrive "
            f"(0 to {costs.high.fresh:.2g}, assumed)."
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
