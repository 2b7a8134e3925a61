"""Measures rules in the program's own job, with and without them, before the program runs.

The probe is started in the program's place, by the same launcher, and makes operations in a row, through the shim or
under the settings. Launches with and without take turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leadline.runs.order import Order, turns
from leadline.statistics.interval import Interval, interval
from leadline.tuning.probing import Point, Subject, time_points
from leadline.tuning.proving import points
from leadline.tuning.table import Rule

LAUNCHES = 3


@dataclass(frozen=True)
class Worth:
    """At one point. gain: the library's own time by that with the rule."""

    point: Point
    gain: Interval

    @property
    def slower(self) -> bool:
        """Beyond the noise."""
        return self.gain.high is not None and self.gain.high < 1

    def as_dict(self) -> dict[str, Any]:
        return {"bytes": self.point.n_bytes, "processes": self.point.processes, **self.gain.as_dict()}

    def __str__(self) -> str:
        low, high = self.gain.low, self.gain.high
        spread = "" if low is None or high is None else f" ({low:.2f} to {high:.2f})"
        where = f"{self.point.n_bytes} bytes on {self.point.processes} ranks"
        return f"{self.gain.median:.2f}×{spread} at {where}"


def remeasure(
    subject: Subject, variables: dict[str, str], rules: Sequence[Rule], processes: int, launches: int = LAUNCHES
) -> dict[Rule, list[Worth]]:
    """Measure each rule at both ends of its range, as far as a job of this many processes has them.

    variables: those that apply the rules. Raises ProbeFailed.
    """
    wanted = {rule: points(rule, processes, 2) for rule in rules}
    everything = list(dict.fromkeys(point for chosen in wanted.values() for point in chosen))
    ratios: dict[Point, list[list[float]]] = {point: [] for point in everything}
    times: dict[tuple[bool, int], dict[Point, list[float]]] = {}
    for turn in turns([False, True], launches if everything else 0, Order.BACK_AND_FORTH):
        times[turn.candidate, turn.round] = time_points(subject, variables if turn.candidate else {}, everything)
    for launch in range(launches if everything else 0):
        before, after = times[False, launch], times[True, launch]
        for point in everything:
            pairs = zip(before.get(point, ()), after.get(point, ()), strict=False)
            ratios[point].append([without / with_ for without, with_ in pairs if with_ > 0])
    worth = {point: interval(groups) for point, groups in ratios.items()}
    return {
        rule: [Worth(point, found) for point in chosen if (found := worth[point]) is not None]
        for rule, chosen in wanted.items()
    }


def why_slower(found: Sequence[Worth]) -> str:
    """The reason why a rule should be left out; "" if it was never slower."""
    slower = [str(worth) for worth in found if worth.slower]
    return f"slower than the library default in this job: {'; '.join(slower)}" if slower else ""
