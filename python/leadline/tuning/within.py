"""A tuning in a limited time: how much of it each stage has, and which points had none."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from leadline.bench.launching import NO_TIME

Point = tuple[str, int, int]  # operation, bytes, processes

# Parts of the time for each number of processes. In the first, all candidates are measured.
CHOOSING, REFINING, CONFIRMING = 6.0, 1.5, 2.0
PASSES = 2  # of refining, each with all gaps at once
MARGIN = 0.95  # of the limit: launches do not end at once


@dataclass
class Budget:
    """limit_s: of all stages; 0: none.   parts: in how many the time is divided."""

    limit_s: float
    parts: float
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._end = self.clock() + self.limit_s * MARGIN

    def take(self, parts: float) -> float:
        """Seconds for the next stage, of what those before it have left. Never 0, which would be no limit."""
        share = parts / max(self.parts, parts)
        self.parts -= parts
        return max((self._end - self.clock()) * share, 0.001)


def parts_of(numbers_of_processes: int) -> float:
    return numbers_of_processes * (CHOOSING + PASSES * REFINING + 3 * CONFIRMING)


def without_time(rows: Iterable[dict[str, Any]], launches: int) -> list[Point]:
    """Points that were not measured to the end: in some launch they had no time."""
    found: dict[Point, bool] = {}
    for row in rows:
        point = (row["operation"], row["bytes"], row["processes"])
        lows = [each["low"] for each in row.get("ratio_by_launch", [])]
        unfinished = 0 < len(lows) < launches and all(low is not None and low > 1 for low in lows)
        found[point] = found.get(point, False) or row["problem"] == NO_TIME or unfinished
    return [point for point, missing in found.items() if missing]
