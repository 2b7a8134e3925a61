"""Which runs come next, and what their times say. Knows settings by name only.

Three stages, each by turns in rounds:
    race      the unchanged program and every candidate. A candidate is dropped once it can't gain 1 % any more, and has
              won once Student's test says so at 5 % divided by the number of candidates, over all its looks: of
              candidates that do nothing, any wins with 5 % at most. If none has won by the end of its rounds, or of
              the time, one that may be faster is taken all the same: what decides is the last stage.
    combine   if several won: the best one, with the second best, with the third, ...: the smallest of these that is as
              fast as the fastest.
    confirm   what is left, against the unchanged program, in fresh launches that had no part in the choice. A test of
              signs decides, which is wrong with 5 % at most, whatever the times' distribution.
A gain is claimed only of what was confirmed, and only one thing is confirmed in a search.
"""

from __future__ import annotations

import enum
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from leadline.runs.samples import Samples
from leadline.statistics.paired import PairedRatio
from leadline.statistics.sequential import CONFIRMING, LOOKS, cannot_gain, confirmed, gain_of, is_promising, won

BASE = "unchanged"
TOGETHER = "+"
LEVEL = 0.05
LEAST_GAIN = 0.01
COMBINING = 5  # rounds
AS_FAST = 1.005  # as the fastest of the combinations


class Stage(enum.Enum):
    RACE = "race"
    COMBINE = "combine"
    CONFIRM = "confirm"
    OVER = "over"


class State(enum.Enum):
    RACING = "undecided"
    WON = "faster"
    DROPPED = "no effect"
    SLOWER = "slower"
    UNPROVEN = "not proven"
    FAILED = "failed"


@dataclass
class Standing:
    """Where a candidate stands.   ratios: time unchanged / time with it, by round.   why: it failed."""

    name: str
    state: State = State.RACING
    ratios: list[float] = field(default_factory=list)
    why: str = ""

    @property
    def gain(self) -> float | None:
        return gain_of(self.ratios) if self.ratios else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Of the gain; None if there are too few rounds."""
        return interval_of(self.ratios)


def interval_of(ratios: Sequence[float]) -> tuple[float, float] | None:
    """The interval of the typical gain (95 %); None if there are too few rounds."""
    found = PairedRatio(tuple(ratios)).interval() if ratios else {"low": None, "high": None}
    low, high = found["low"], found["high"]
    return None if low is None or high is None else (1 - 1 / low, 1 - 1 / high)


class Search:
    """goes_with: whether two candidates can be combined.   weight: how many things a candidate changes."""

    def __init__(
        self,
        names: Sequence[str],
        goes_with: Callable[[str, str], bool] = lambda _a, _b: True,
        weight: Callable[[str], int] = lambda _: 1,
    ) -> None:
        self.standings = {name: Standing(name) for name in names}
        self.stage = Stage.RACE if names else Stage.OVER
        self.round = 0
        self.chosen: tuple[str, ...] = ()
        self.combined = Samples()
        self.fresh: list[float] = []
        self.confirmed: bool | None = None
        self._goes_with = goes_with
        self._weight = weight
        self._combinations: list[tuple[str, ...]] = []

    @classmethod
    def confirming(cls, names: Sequence[str]) -> Search:
        """One that only confirms these together, in another session: they were chosen before."""
        search = cls(names)
        search.chosen = tuple(names)
        search._enter(Stage.CONFIRM if names else Stage.OVER)
        return search

    def wanted(self) -> list[str]:
        """What the next round runs; [] if the search is over. A combination is its names with TOGETHER between."""
        match self.stage:
            case Stage.RACE:
                return [BASE, *self._racing()]
            case Stage.COMBINE:
                return [TOGETHER.join(names) for names in self._combinations]
            case Stage.CONFIRM:
                return [BASE, TOGETHER.join(self.chosen)]
        return []

    def take(self, times: Mapping[str, float | None]) -> None:
        """The times of the round that was wanted; None where a launch failed, which may not be that of BASE."""
        stage, number = self.stage, self.round
        self.round += 1
        if stage is Stage.RACE:
            self._take_race(times)
            if not self._racing():
                self.end_race()
        elif stage is Stage.COMBINE:
            for name, value in times.items():
                self.combined.add(name, number, value)
            if self.round >= COMBINING:
                self._choose()
        elif stage is Stage.CONFIRM:
            base, other = times[BASE], times[TOGETHER.join(self.chosen)]
            if not base or not other:  # what fails once is not kept, nor what changes results
                self.confirmed = False
            else:
                self.fresh.append(base / other)
                self.confirmed = confirmed(self.fresh)
            if self.confirmed is not None:
                self._enter(Stage.OVER)

    def end_race(self) -> None:
        """What has not won by now stays undecided; the best of it goes on if nothing has won, and it may be faster."""
        if self.stage is not Stage.RACE:
            return
        best = self._best() or self._promising()
        self._combinations = [tuple(best[: count + 1]) for count in range(len(best))]
        self.chosen = tuple(best[:1])
        self._enter(Stage.COMBINE if len(best) > 1 else Stage.CONFIRM if best else Stage.OVER)

    def end_combining(self) -> None:
        """With the combination that looks fastest by now; before any was run, with the best winner alone."""
        if self.stage is Stage.COMBINE:
            self._choose()

    def narrow(self) -> bool:
        """Give up the half of the race that looks worse, to decide the others in time; False if one is left at most."""
        racing = sorted(self._racing(), key=lambda name: -(self.standings[name].gain or 0.0))
        for name in racing[(len(racing) + 1) // 2 :]:
            self.standings[name].state = State.UNPROVEN
        return len(racing) > 1

    def rounds_to_next_look(self) -> int:
        return next((look - self.round for look in LOOKS if look > self.round), 1)

    def rounds_left_at_least(self) -> int:
        """Launches that confirming takes, and combining if it is needed, at least."""
        combining = COMBINING * len(self._best()) if self.stage is Stage.RACE and len(self._best()) > 1 else 0
        return combining + 2 * CONFIRMING[0][0]

    def winners(self) -> list[Standing]:
        return [each for each in self.standings.values() if each.state is State.WON]

    def _racing(self) -> list[str]:
        return [name for name, each in self.standings.items() if each.state is State.RACING]

    def _take_race(self, times: Mapping[str, float | None]) -> None:
        base = times[BASE]
        for name in self._racing():
            each, value = self.standings[name], times.get(name)
            if not base or not value:
                each.state = State.FAILED
                continue
            each.ratios.append(base / value)
            if won(each.ratios, LEVEL / len(self.standings)):
                # Less than 1 % is no gain that anybody asked for.
                each.state = State.WON if gain_of(each.ratios) >= LEAST_GAIN else State.DROPPED
            elif cannot_gain(each.ratios, LEAST_GAIN):
                each.state = State.SLOWER if gain_of(each.ratios) < -LEAST_GAIN else State.DROPPED
            elif len(each.ratios) >= LOOKS[-1]:
                each.state = State.UNPROVEN

    def _best(self) -> list[str]:
        """The winners that can be combined, best first; of two that can't, the lighter one if it may be as fast."""
        found: list[str] = []
        left = sorted(self.winners(), key=lambda standing: -gain_of(standing.ratios))
        while left:
            each = min((one for one in left if self._instead_of(one, left[0])), key=lambda one: self._weight(one.name))
            left.remove(each)
            if all(self._goes_with(each.name, other) for other in found):
                found.append(each.name)
        return found

    def _promising(self) -> list[str]:
        undecided = [each for each in self.standings.values() if each.state in (State.RACING, State.UNPROVEN)]
        found = [each for each in undecided if is_promising(each.ratios)]
        return [max(found, key=lambda each: gain_of(each.ratios)).name] if found else []

    def _instead_of(self, one: Standing, best: Standing) -> bool:
        if one is best:
            return True
        interval, gain = one.interval, best.gain
        may_be_as_fast = interval is not None and gain is not None and interval[1] >= gain
        return may_be_as_fast and not self._goes_with(one.name, best.name)

    def _choose(self) -> None:
        """The smallest combination that is as fast as the fastest."""
        typical = {
            names: statistics.fmean(values)
            for names in self._combinations
            if (values := self.combined.values(TOGETHER.join(names))) and not self.combined.failed(TOGETHER.join(names))
        }
        if typical:
            least = min(typical.values())
            self.chosen = next(names for names, mean in typical.items() if mean <= least * AS_FAST)
        self._enter(Stage.CONFIRM)

    def _enter(self, stage: Stage) -> None:
        self.stage, self.round = stage, 0
