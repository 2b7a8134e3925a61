"""Intervals for ratios of times, on machines that are noisy and drift.

Everything is done with logarithms, as times differ by factors. There are two sources of an interval:

* Repeats: one value per run (the median over its iterations); Welch's test of the groups' means.
* One run each: the iterations are cut into blocks, and the median of each is a value. Iterations of a block are
  alike because they are neighbours, so blocks, not iterations, are what varies. Two runs differ at least as much as
  blocks of one run do: the difference is compared with the spread of single blocks, not with that of their mean.

What was measured at many places is corrected for their number (Holm 1979).
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from leadline.statistics.student import t_cdf, t_quantile

MOST_BLOCKS = 12
FEWEST_BLOCKS = 4
BLOCK = 2  # iterations at least
LEVEL = 0.05
LEAST_SPREAD = 0.005  # of values that happen to agree: clocks and coincidence


@dataclass(frozen=True)
class Ratio:
    """value: b / a, typical values of the two.   low, high: its interval at 95 %, of this one alone.

    p: of no difference.   repeats: whether the interval comes from repeated runs; otherwise it comes from blocks of
    iterations of one run each.
    """

    a: float
    b: float
    low: float
    high: float
    p: float
    repeats: bool

    @property
    def value(self) -> float:
        return self.b / self.a


def blocks(values: Sequence[float]) -> list[float]:
    """Medians of consecutive blocks; [] if there are too few values."""
    k = min(MOST_BLOCKS, len(values) // BLOCK)
    if k < FEWEST_BLOCKS:
        return []
    edges = [round(i * len(values) / k) for i in range(k + 1)]
    return [statistics.median(values[a:b]) for a, b in itertools.pairwise(edges)]


def of_repeats(a: Sequence[float], b: Sequence[float], extra: float = 0.0) -> Ratio | None:
    """a, b: a value per run; a group of one is taken to vary as the other. None if both are of one, or some are 0.

    extra: a share by which any of them may be off, all in the same direction.
    """
    if max(len(a), len(b)) < 2 or min(*a, *b) <= 0:
        return None
    x, y = [math.log(v) for v in a], [math.log(v) for v in b]
    means = math.exp(statistics.fmean(x)), math.exp(statistics.fmean(y))
    return _welch(x, y, means, (1 / len(x), 1 / len(y)), extra, repeats=True)


def of_blocks(a: Sequence[float], b: Sequence[float], typical: tuple[float, float], extra: float = 0.0) -> Ratio | None:
    """a, b: values of blocks of one run each; None if there are fewer than four, or zeros among them.

    typical: medians of all iterations of each, whose ratio it is.   extra: a share by which any of them may be off.
    """
    if min(len(a), len(b)) < FEWEST_BLOCKS or min(*a, *b, *typical) <= 0:
        return None
    x, y = [math.log(v) for v in a], [math.log(v) for v in b]
    return _welch(x, y, typical, (1.0, 1.0), extra, repeats=False)


def _welch(
    x: Sequence[float],
    y: Sequence[float],
    typical: tuple[float, float],
    parts: tuple[float, float],
    extra: float,
    *,
    repeats: bool,
) -> Ratio:
    """parts: of the variance of single values, that of the typical ones."""
    spreads = [max(_variance(each), LEAST_SPREAD**2) if len(each) > 1 else None for each in (x, y)]
    known = [each for each in spreads if each is not None]
    vx, vy = (each if each is not None else known[0] for each in spreads)
    vx, vy = vx * parts[0], vy * parts[1]
    error = math.sqrt(vx + vy)
    freedom = (
        (vx + vy) ** 2 / (vx**2 / (len(x) - 1) + vy**2 / (len(y) - 1)) if len(known) == 2 else max(len(x), len(y)) - 1
    )
    difference = math.log(typical[1] / typical[0])
    beyond = max(abs(difference) - extra, 0.0)
    half = t_quantile(1 - LEVEL / 2, freedom) * error + extra
    return Ratio(
        *typical,
        math.exp(difference - half),
        math.exp(difference + half),
        2 * (1 - t_cdf(beyond / error, freedom)),
        repeats,
    )


def _variance(values: Sequence[float]) -> float:
    """That of the module statistics is exact, which takes fractions, and ten times as long."""
    mean = math.fsum(values) / len(values)
    return math.fsum((each - mean) ** 2 for each in values) / (len(values) - 1)


def holm(p: Sequence[float]) -> list[bool]:
    """Which hypotheses are rejected so that the probability of any false rejection is at most 5 %."""
    rejected = [False] * len(p)
    for rank, index in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        if p[index] > LEVEL / (len(p) - rank):
            break
        rejected[index] = True
    return rejected
