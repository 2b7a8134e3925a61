"""Medians with bootstrap intervals, of samples that come in groups (launches of a program)."""

from __future__ import annotations

import functools
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
    if len(filled) == 1 or len(filled) == len(pooled):
        pooled.sort()
        medians = [(pooled[a] + pooled[b]) / 2 for a, b in _middles(len(pooled), resamples, seed)]
    else:
        medians = _medians(filled, resamples, seed)
    medians.sort()
    tail = (1 - confidence) / 2
    return Interval(middle, quantile(medians, tail), quantile(medians, 1 - tail))


def _medians(groups: Sequence[Sequence[float]], resamples: int, seed: int) -> list[float]:
    chance = random.Random(seed)
    medians = []
    for _ in range(resamples):
        drawn: list[float] = []
        for group in chance.choices(groups, k=len(groups)):
            drawn += chance.choices(group, k=len(group))
        medians.append(median(drawn))
    return medians


@functools.lru_cache(64)
def _middles(n: int, resamples: int, seed: int) -> list[tuple[int, int]]:
    """The places of the middle two of each resample among n ascending samples; of an odd number the same twice.

    Kept, because they are the same for all samples of that number: a campaign has thousands of cells.
    """
    chance = random.Random(seed)
    places = range(n)
    drawn = [sorted(chance.choices(places, k=n)) for _ in range(resamples)]
    return [(each[(n - 1) // 2], each[n // 2]) for each in drawn]


def range_of(values: Sequence[float]) -> tuple[float, float]:
    """The interval of the median; of fewer than FEWEST values the least and the greatest. Raises ValueError if none."""
    found = interval([values])
    if found is None or found.low is None or found.high is None:
        return min(values), max(values)
    return found.low, found.high
