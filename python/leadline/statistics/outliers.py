"""Which of a few values lie far from the others. They are marked, never discarded."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.statistics.median import median

FAR = 3.5
TO_DEVIATION = 1.4826  # of a normal distribution: its standard deviation by its median absolute deviation
FEWEST = 5
LEAST_SPREAD = 0.005  # relative: values that happen to agree make nothing an outlier


def outliers(values: Sequence[float]) -> list[bool]:
    """Whether each is further from the median than 3.5 robust standard deviations; none of fewer than five is.

    Source: Iglewicz, Hoaglin, "How to Detect and Handle Outliers", 1993.
    """
    if len(values) < FEWEST:
        return [False] * len(values)
    middle = median(values)
    spread = TO_DEVIATION * median(abs(value - middle) for value in values)
    return [abs(value - middle) > FAR * max(spread, LEAST_SPREAD * abs(middle)) for value in values]
