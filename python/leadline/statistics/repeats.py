"""How many repeats it takes to show a difference."""

from __future__ import annotations

import math

from leadline.statistics.student import t_quantile
from leadline.statistics.welch import LEVEL

MOST = 10_000


def repeats_for(difference: float, spread: float, comparisons: int = 1, power: float = 0.8) -> int | None:
    """Repeats of each of two candidates with which such a difference is found with the probability `power`.

    difference: relative, above 0.   spread: standard deviation of the logarithms of the times.   comparisons: that are
    made; the first that Holm's correction accepts needs a level of 5 % by their number.   None: more than 10,000.
    Source: Lehr's and Student's formula for two means of equal variance.
    """
    wanted = math.log1p(difference)
    level = LEVEL / max(comparisons, 1)

    def shows(n: int) -> bool:
        freedom = 2 * n - 2
        quantiles = t_quantile(1 - level / 2, freedom) + t_quantile(power, freedom)
        return quantiles * spread * math.sqrt(2 / n) <= wanted

    if not shows(MOST):
        return None
    low, high = 1, 2
    while not shows(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high
