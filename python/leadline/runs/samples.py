"""What was measured, by candidate and round. Nothing is discarded: a failed launch is a gap, not a missing row."""

from __future__ import annotations

from leadline.statistics.paired import PairedRatio, paired


class Samples:
    """A value, usually seconds, for each candidate and round; None where the launch failed."""

    def __init__(self) -> None:
        self._values: dict[str, dict[int, float | None]] = {}

    def add(self, name: str, round_: int, value: float | None) -> None:
        self._values.setdefault(name, {})[round_] = value

    def by_round(self, name: str) -> list[float | None]:
        """In the order of the rounds."""
        return [value for _, value in sorted(self._values.get(name, {}).items())]

    def values(self, name: str) -> list[float]:
        """Of the launches that did not fail."""
        return [value for value in self.by_round(name) if value is not None]

    def failed(self, name: str) -> int:
        return len(self.by_round(name)) - len(self.values(name))

    def ratio(self, base: str, other: str) -> PairedRatio | None:
        """base / other of the rounds in which neither failed or took no time: above 1 the other is faster.

        None if there are none.
        """
        one, two = self._values.get(base, {}), self._values.get(other, {})
        both = sorted(number for number in one if one[number] and two.get(number))
        return paired([one[number] for number in both], [two[number] for number in both])
