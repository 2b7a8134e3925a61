"""How much longer messages may be on their way: the latency at which a run takes 1, 2 and 5 % more time.

The time of a run is that of its longest path, so it grows with the latency in straight pieces, each steeper than the
one before. Each replay gives the time and the slope at a latency (its sensitivity). A line with that slope through that
time meets the wanted time where the next replay is made; where the line is the piece that holds there, that is exact.

Figures of this kind: Shen and others, "LLAMP: Assessing network latency tolerance of HPC applications with linear
programming", SC 2024, which finds them by linear programs instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from leadline import _core

LONGER = (0.01, 0.02, 0.05)
MOST_S = 1.0  # more than that is no latency
FIRST_S = 1e-6  # tried first where no message is on the longest path
CLOSE_S = 2e-12  # times are whole picoseconds
MOST_REPLAYS = 60

Replayed = Callable[[float], tuple[float, float]]  # of latency added in seconds: seconds, and how much more for each


@dataclass(frozen=True)
class Tolerance:
    """longer: by how much, and the latency in seconds that is added to that of every message; None: none up to MOST_S
    makes the run take so long.   bends_s: added latency from which the time grows faster; None: not below the greatest
    of these.   slope: seconds for each second of it before."""

    longer: tuple[tuple[float, float | None], ...]
    bends_s: float | None
    slope: float


def tolerance_of(replayed: Replayed) -> Tolerance:
    known: dict[float, tuple[float, float]] = {}

    def at(added_s: float) -> tuple[float, float]:
        if added_s not in known:
            known[added_s] = replayed(added_s)
        return known[added_s]

    base_s, slope = at(0.0)
    longer = tuple((part, _added_for(at, base_s * (1 + part))) for part in LONGER)
    greatest = max((added for _, added in longer if added is not None), default=None)
    return Tolerance(longer, None if greatest is None else _bend(at, greatest), slope)


def _added_for(at: Replayed, wanted_s: float) -> float | None:
    low, high = 0.0, math.inf  # too short, and long enough
    added = 0.0
    for _ in range(MOST_REPLAYS):
        seconds, slope = at(added)
        if abs(seconds - wanted_s) <= CLOSE_S:
            return added
        low, high = (added, high) if seconds < wanted_s else (low, added)
        if low >= MOST_S:
            return None
        on_line = added + (wanted_s - seconds) / slope if slope > 0 else math.inf
        following = _between(low, high, on_line)
        if following is None:
            return high
        added = min(following, MOST_S)
    return high if math.isfinite(high) else None


def _between(low: float, high: float, wanted: float) -> float | None:
    """To the picosecond; the middle, if what is wanted is not between them; None: nothing is."""
    wanted = round(wanted, 12) if math.isfinite(wanted) else wanted
    if low < wanted < high:
        return wanted
    if not math.isfinite(high):
        return max(2 * low, FIRST_S)
    middle = round((low + high) / 2, 12)
    return middle if low < middle < high else None


def _bend(at: Replayed, greatest: float) -> float | None:
    """Where the line through the base ends."""
    base_s, slope = at(0.0)
    low, high = 0.0, greatest  # on the line, or below it, and beyond it
    seconds, steeper = at(high)
    if seconds - (base_s + slope * high) <= CLOSE_S:
        return None
    for _ in range(MOST_REPLAYS):
        crossing = (seconds - steeper * high - base_s) / (slope - steeper) if steeper > slope else math.inf
        middle = _between(low, high, crossing)
        if middle is None:
            return high
        now_s, now = at(middle)
        if now_s - (base_s + slope * middle) > CLOSE_S:
            high, seconds, steeper = middle, now_s, now
        elif steeper > slope and abs(now_s - (seconds + steeper * (middle - high))) <= CLOSE_S:
            return middle
        else:
            low = middle
    return high


def with_latency(network: _core.Network, added_s: float) -> _core.Network:
    """The same network, but each message is so much longer on its way."""
    made = _core.Network()
    for name in (
        "reduce_per_byte_ns",
        "copy_per_byte_ns",
        "copy_2_mib_per_byte_ns",
        "copy_8_mib_per_byte_ns",
        "copy_uncached_per_byte_ns",
        "copy_strided_per_byte_ns",
        "copy_strided_uncached_per_byte_ns",
        "flag_ns",
        "call_ns",
        "port",
        "topology",
    ):
        setattr(made, name, getattr(network, name))
    for distance in _core.network_distances:
        link = network.own(distance)
        pieces = link.pieces
        for piece in pieces:
            piece.latency_ns += added_s * 1e9
        link.pieces = pieces
        if pieces:
            made.set(distance, link)
    return made
