"""Medians with bootstrap intervals, of samples that come in groups (launches of a program)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

RESAMPLES = 1000
CONFIDENCE = 0.95
FEWEST = 5  # samples without which an interval says nothing


@dataclass(frozen=True)
class Interval:
    """The median of the samples. low, high: its bootstrap interval; None if there are too few samples."""

    median: float
    low: float | None
    high: float | None

    def as_dict(self) -> dict[str, float | None]:
        return {"median": self.median, "low": self.low, "high": self.high}


def median(values: Sequence[float]) -> float:
    """The median. Raises ValueError if there are no values."""
    if not values:
        raise ValueError("the median of nothing")
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def interval(
    groups: Sequence[Sequence[float]],
    *,
    seed: int = 1,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Interval | None:
    """Median of all samples, and its percentile bootstrap interval; None if there are no samples.

    groups: the samples of each launch. Samples of a launch are alike for reasons that the next launch would not share
    (where its ranks and pages were), so a resample draws launches first, then samples within each.
    Source: Efron, Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 8 and 13.
    """
    filled = [list(group) for group in groups if group]
    pooled = [value for group in filled for value in group]
    if not pooled:
        return None
    middle = median(pooled)
    if len(pooled) < FEWEST:
        return Interval(middle, None, None)
    chance = random.Random(seed)
    medians = []
    for _ in range(resamples):
        drawn: list[float] = []
        for group in chance.choices(filled, k=len(filled)) if len(filled) > 1 else filled:
            drawn += chance.choices(group, k=len(group))
        medians.append(median(drawn))
    medians.sort()
    tail = (1 - confidence) / 2
    return Interval(middle, quantile(medians, tail), quantile(medians, 1 - tail))


def quantile(ordered: Sequence[float], share: float) -> float:
    """The quantile of ascending values, linear between neighbours. share: 0 for the first, 1 for the last."""
    if not ordered:
        raise ValueError("the quantile of nothing")
    place = share * (len(ordered) - 1)
    below = int(place)
    if below + 1 >= len(ordered):
        return ordered[-1]
    return ordered[below] + (place - below) * (ordered[below + 1] - ordered[below])


def paired_ratios(base: Sequence[float | None], other: Sequence[float | None]) -> list[float]:
    """base / other of every round in which both were on time (None: late)."""
    return [a / b for a, b in zip(base, other, strict=True) if a is not None and b is not None and b > 0]
