"""Tests of ratios that come in one after another, so that measuring can stop as soon as they have decided.

A ratio is base / other of a round, in which the two ran one after the other; all is done with logarithms. Looking
several times gives chance several opportunities, so that each look has a part of the error that is allowed in all.
"""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Sequence

from leadline.statistics.student import t_quantile

LOOKS = (5, 8, 12, 18)  # rounds after which won() looks
FEWEST_TO_DROP = 3
DROP_LEVEL = 0.05
PROMISING_LEVEL = 0.05
PROMISING_GAIN = 0.03
PROMISING_PAIR = 1.1  # both ratios, where there are only two
FAR_SLOWER = ((1, 1 / 3), (2, 0.75))  # rounds all of whose ratios are below that say enough
LEAST_SPREAD = 0.002  # of ratios that happen to agree: clocks and coincidence

# Rounds, and how many of them may have gone the other way. A median of 1 passes the first with 1/64, the second with
# 10/512, the third with 92/8192: 4.6 % in all.
CONFIRMING = ((6, 0), (9, 1), (13, 2))


def won(ratios: Sequence[float], level: float) -> bool:
    """Whether the mean of the ratios is above 1, as Student's test says at the last look that was reached.

    level: the probability, over all looks, that this is said of ratios whose mean is 1.
    """
    reached = [look for look in LOOKS if look <= len(ratios)]
    if not reached:
        return False
    mean, error = _mean_and_error(ratios[: reached[-1]])
    return mean / error >= _quantile(1 - level / len(LOOKS), reached[-1] - 1)


def cannot_gain(ratios: Sequence[float], least: float) -> bool:
    """Whether a gain of `least` (0.01: 1 % of the time) is out of reach: the interval of the mean ends below it.

    This may be asked after each round, and is wrong more often than its level says: what is dropped is never claimed.
    """
    if any(len(ratios) == rounds and max(ratios) < ratio for rounds, ratio in FAR_SLOWER):
        return True
    if len(ratios) < FEWEST_TO_DROP:
        return False
    mean, error = _mean_and_error(ratios)
    return mean + _quantile(1 - DROP_LEVEL, len(ratios) - 1) * error < -math.log(1 - least)


def is_promising(ratios: Sequence[float]) -> bool:
    """Whether it is worth confirming although it has not won: Student's test says so as of a single look at a single
    candidate, which of many is wrong more often. What decides is fresh: confirmed()."""
    if len(ratios) < FEWEST_TO_DROP:
        return len(ratios) > 1 and min(ratios) >= PROMISING_PAIR
    mean, error = _mean_and_error(ratios)
    return gain_of(ratios) >= PROMISING_GAIN and mean / error >= _quantile(1 - PROMISING_LEVEL, len(ratios) - 1)


def confirmed(ratios: Sequence[float]) -> bool | None:
    """Whether fresh rounds confirm that the ratio's median is above 1; None while that is open.

    A test of signs, which asks nothing of the ratios' distribution; wrong with 4.6 % at most (CONFIRMING).
    """
    for rounds, allowed in CONFIRMING:
        if len(ratios) < rounds:
            return False if _losses(ratios) > CONFIRMING[-1][1] else None
        if _losses(ratios[:rounds]) <= allowed:
            return True
    return False


def gain_of(ratios: Sequence[float]) -> float:
    """The typical gain: the part of the base's time that is saved."""
    return 1 - math.exp(-statistics.fmean(map(math.log, ratios)))


_quantile = functools.cache(t_quantile)


def _losses(ratios: Sequence[float]) -> int:
    return sum(ratio <= 1 for ratio in ratios)


def _mean_and_error(ratios: Sequence[float]) -> tuple[float, float]:
    logs = [math.log(ratio) for ratio in ratios]
    mean = statistics.fmean(logs)
    spread = math.sqrt(sum((log - mean) ** 2 for log in logs) / (len(logs) - 1))
    return mean, max(spread, LEAST_SPREAD) / math.sqrt(len(logs))
