"""Medians with bootstrap intervals, of samples that come in groups (launches of a program)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from leadline.statistics.median import median, quantile

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


def range_of(values: Sequence[float]) -> tuple[float, float]:
    """The interval of the median; of fewer than FEWEST values the least and the greatest. Raises ValueError if none."""
    found = interval([values])
    if found is None or found.low is None or found.high is None:
        return min(values), max(values)
    return found.low, found.high
