"""Paired differences and how far they can be trusted."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from leadline.statistics.interval import range_of
from leadline.statistics.median import median


@dataclass(frozen=True)
class Estimate:
    """The median of some values and a 95 % interval for it."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate:
        """Of fewer than five values, the least and the greatest are the interval. Raises ValueError for none."""
        return cls(median(values), *range_of(values))


@dataclass(frozen=True)
class Cost:
    """One case: nanoseconds per call. `added` is recorded minus base, pair by pair."""

    base: Estimate
    recorded: Estimate
    added: Estimate
    ratio: Estimate
    noise: float  # median distance between one base launch and the next


def cost(base: Sequence[float], recorded: Sequence[float]) -> Cost:
    """From launches that alternated: base[0], recorded[0], base[1], ... and one base more at the end.

    base: shape (n + 1,), recorded: shape (n,), ns per call. A recorded launch is compared with the mean of the base
    launches before and after it, so that a slow drift of the machine cancels. Raises ValueError for other shapes.
    """
    if len(base) != len(recorded) + 1 or not recorded:
        raise ValueError(f"{len(base)} base and {len(recorded)} recorded launches")
    around = [(before + after) / 2 for before, after in itertools.pairwise(base)]
    pairs = list(zip(around, recorded, strict=True))
    return Cost(
        base=Estimate.of(base),
        recorded=Estimate.of(recorded),
        added=Estimate.of([r - b for b, r in pairs]),
        ratio=Estimate.of([r / b for b, r in pairs]),
        noise=median(abs(after - before) for before, after in itertools.pairwise(base)),
    )
