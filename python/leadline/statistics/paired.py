"""Ratios of values that were measured one after the other, so that what drifts hits both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadline.statistics.interval import FEWEST, interval
from leadline.statistics.median import median


def paired_ratios(base: Sequence[float | None], other: Sequence[float | None]) -> list[float]:
    """base / other of every round that has both (None: a rank was late, or the launch failed)."""
    return [a / b for a, b in zip(base, other, strict=True) if a is not None and b is not None and b > 0]


@dataclass(frozen=True)
class PairedRatio:
    """The ratios of the rounds, at least one."""

    ratios: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.ratios)

    @property
    def least(self) -> float:
        return min(self.ratios)

    @property
    def most(self) -> float:
        return max(self.ratios)

    @property
    def clear(self) -> bool:
        """Whether all rounds agree on the direction, and there are enough: by chance five agree with 6 %."""
        return len(self.ratios) >= FEWEST and (self.most < 1 or self.least > 1)

    @property
    def faster(self) -> bool:
        """Whether what is compared with the base is, clearly."""
        return self.clear and self.least > 1

    def interval(self) -> dict[str, float | None]:
        """Of the median: "median", "low" and "high". Each round is a group of its own."""
        found = interval([[ratio] for ratio in self.ratios])
        assert found is not None  # there is at least one
        return found.as_dict()


def paired(base: Sequence[float | None], other: Sequence[float | None]) -> PairedRatio | None:
    """base / other, round by round; None if no round has both. Raises ValueError if they differ in length."""
    ratios = paired_ratios(base, other)
    return PairedRatio(tuple(ratios)) if ratios else None
