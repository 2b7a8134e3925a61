"""Lines through times of messages by their bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LARGE = 1 << 16


@dataclass(frozen=True)
class Line:
    """ns of n bytes: constant + n * slope."""

    constant: float = 0.0
    slope: float = 0.0

    def at(self, n_bytes: float) -> float:
        return self.constant + n_bytes * self.slope


def line_through(points: Sequence[tuple[int, float]], floor: float = 0.0) -> Line:
    """The line with the least relative errors whose constant is at least `floor` and whose slope is not negative.
    Without points: 0."""
    if not points:
        return Line()
    weights = [1 / max(ns, 1e-9) ** 2 for _, ns in points]
    w = sum(weights)
    x = sum(a * n for a, (n, _) in zip(weights, points, strict=True)) / w
    y = sum(a * ns for a, (_, ns) in zip(weights, points, strict=True)) / w
    xx = sum(a * (n - x) ** 2 for a, (n, _) in zip(weights, points, strict=True))
    xy = sum(a * (n - x) * (ns - y) for a, (n, ns) in zip(weights, points, strict=True))
    several = xx > 1e-9 * w * x * x  # sizes
    slope = max(xy / xx, 0.0) if several else 0.0
    if not several and x >= LARGE:  # the time of one long message is that of its bytes
        slope = max(y - floor, 0.0) / x
    constant = y - slope * x
    if constant >= floor:
        return Line(constant, slope)
    above = sum(a * n * (ns - floor) for a, (n, ns) in zip(weights, points, strict=True))
    squares = sum(a * n * n for a, (n, _) in zip(weights, points, strict=True))
    return Line(floor, max(above / squares, 0.0) if squares else 0.0)
