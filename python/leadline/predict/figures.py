"""What a replay says: times with their intervals, of the whole run, an iteration and each phase."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Figures:
    """Seconds of the whole run and of an iteration of the main loop, each with the interval of replays whose iterations
    were drawn again, wider by the error of the replayed base. iteration_s: None without a main loop.   phases_s: means
    over the ranks; None: unknown.   drawn_s: the whole run of each of these replays, in the order of their seeds."""

    seconds: float
    low: float
    high: float
    iteration: tuple[float, float, float] | None
    phases_s: dict[str, float | None]
    messages: int
    drawn_s: tuple[float, ...] = ()


def between(likely: Figures, least: Figures, most: Figures) -> Figures:
    iteration = likely.iteration
    if iteration and least.iteration and most.iteration:
        iteration = (iteration[0], min(iteration[1], least.iteration[1]), max(iteration[2], most.iteration[2]))
    return replace(likely, low=min(likely.low, least.low), high=max(likely.high, most.high), iteration=iteration)


def widened(figures: Figures, errors: dict[str, float | None], model: float = 0.0) -> Figures:
    """What the replay of the unchanged run is off by, that of the changed one may be, too; and so may be, to either
    side, what it was off by before it was adapted, and as much as runs differ."""

    def wide(low: float, high: float, error: float | None) -> tuple[float, float]:
        right = 1 / (1 + error) if error is not None and error > -1 else 1.0
        return min(low, low * right) * (1 - model), max(high, high * right) * (1 + model)

    low, high = wide(figures.low, figures.high, errors["whole"])
    iteration = figures.iteration
    if iteration is not None:
        iteration = (iteration[0], *wide(*iteration[1:], errors["loop"]))
    return replace(figures, low=low, high=high, iteration=iteration)


def phases_of(begins: Sequence[float], ends: Sequence[float], last: Sequence[float]) -> dict[str, float | None]:
    """Means over the ranks; without a main loop all is initialisation."""

    def mean(values: Sequence[float]) -> float | None:
        return sum(values) / len(values) if values and all(map(math.isfinite, values)) else None

    if not any(map(math.isfinite, begins)):
        return {"initialisation": mean(last), "loop": None, "finalisation": None}
    return {
        "initialisation": mean(begins),
        "loop": mean([end - begin for begin, end in zip(begins, ends, strict=True)]),
        "finalisation": mean([end - begin for begin, end in zip(ends, last, strict=True)]),
    }
