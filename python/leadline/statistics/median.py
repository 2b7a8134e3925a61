"""The median and quantiles, without importing `statistics`, whose import costs a report milliseconds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def median(values: Iterable[float]) -> float:
    """The median; of an even number of values, the mean of the middle two. Raises ValueError if there are none."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("median of an empty list")
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def quantile(ordered: Sequence[float], share: float) -> float:
    """The quantile of ascending values, linear between neighbours. share: 0 for the first, 1 for the last."""
    if not ordered:
        raise ValueError("quantile of an empty list")
    place = share * (len(ordered) - 1)
    below = int(place)
    if below + 1 >= len(ordered):
        return ordered[-1]
    return ordered[below] + (place - below) * (ordered[below + 1] - ordered[below])
