"""The launches of a measurement, one after the other: what each measures depends on those before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from leadline.bench.asking import POINT_TO_POINT
from leadline.bench.launching import NO_TIME, Launch, Plan, Point, prepared, result_of
from leadline.bench.rows import Asked, is_better
from leadline.errors import MeasurementFailed
from leadline.runs.launch import Launch as ProgramLaunch
from leadline.runs.order import Order, Turn, turns
from leadline.runs.runner import Done

FIRST_LOOK = "trial run"
MEASURED = "measured"


@dataclass
class Course:
    """plan: of a launch, without points.   words: launcher and program.   folder: an empty one.

    screening: rounds of a first look, 0 for none.   only_better, keep: as for measure().
    found: the results, those of the first look too.   failed: why there are not all of them, or "".
    """

    asked: Asked
    plan: Plan
    words: Sequence[str]
    environ: Mapping[str, str]
    folder: Path
    label: str
    timeout_s: float | None = None
    screening: int = 0
    only_better: bool = False
    keep: bool = False
    found: list[Launch] = field(default_factory=list)
    failed: str = ""

    def __post_init__(self) -> None:
        candidates = range(len(self.asked.candidates))
        self._wanted = {
            point: [number for number in candidates if not self.asked.is_left_out(point, number)]
            for point in range(len(self.asked.sizes))
        }
        self._now = self.plan

    def launch_of(self, turn: Turn[str]) -> ProgramLaunch | None:
        """The wanted candidates; none if nothing is wanted any more, or a launch failed."""
        if not self._wanted or self.failed:
            return None
        number = _number(turn)
        rounds = self.screening if turn.candidate == FIRST_LOOK else self.plan.rounds
        self._now = replace(self.plan, points=self.points(), seed=self.plan.seed + number, rounds=rounds)
        self._folder_of(turn).mkdir()
        label = f"{self.label}: {FIRST_LOOK}" if turn.candidate == FIRST_LOOK else self.label
        return prepared(
            self._now, self.words, self.environ, self._folder_of(turn), label=label, timeout_s=self.timeout_s
        )

    def points(self) -> tuple[Point, ...]:
        """Those that are still wanted."""
        native = "p2p" if self.asked.operation in POINT_TO_POINT else self.asked.operation
        return tuple(
            Point(
                native,
                self.asked.sizes[point],
                tuple(self.asked.candidates[c] for c in candidates),
                self.asked.arrivals[point] if self.asked.arrivals else (),
            )
            for point, candidates in self._wanted.items()
        )

    def take(self, done: Done[str]) -> None:
        """Raises MeasurementFailed unless results are kept and there are some."""
        first_look = done.turn.candidate == FIRST_LOOK
        try:
            launch = result_of(done.outcome, self._now, self._folder_of(done.turn))
        except MeasurementFailed as error:
            if not (self.keep and self.found):
                raise
            which = FIRST_LOOK if first_look else f"launch {done.turn.round + 1} of {done.turn.rounds}"
            self.failed = f"{which} failed ({error}); results of earlier launches are kept"
            return
        self.accept(launch, done.turn, first_look)

    def accept(self, launch: Launch, turn: Turn[str], first_look: bool) -> None:
        """The results of a launch of `points()`."""
        numbers = list(self._wanted)
        launch.samples = {
            (numbers[point], self._wanted[numbers[point]][candidate]): samples
            for (point, candidate), samples in launch.samples.items()
        }
        launch.began_us = {
            (numbers[point], self._wanted[numbers[point]][candidate]): began
            for (point, candidate), began in launch.began_us.items()
        }
        self.found.append(launch)
        if first_look or self.only_better:
            self._wanted = self._better(launch, _number(turn), perhaps=first_look)
        if first_look:  # it says nothing about those that stay
            launch.samples = {
                (point, candidate): samples
                for (point, candidate), samples in launch.samples.items()
                if samples.problem != NO_TIME
                and (candidate == self.asked.base or candidate not in self._wanted.get(point, ()))
            }

    def leave_out(self, point: int, candidate: int) -> None:
        """The point and the candidate are numbered as in `points()`. Without the base there is nothing to compare."""
        number = list(self._wanted)[point]
        left = [each for place, each in enumerate(self._wanted[number]) if place != candidate]
        if self.asked.base in left and len(left) > 1:
            self._wanted[number] = left
        else:
            del self._wanted[number]

    def _folder_of(self, turn: Turn[str]) -> Path:
        return self.folder / f"launch{_number(turn)}"

    def _better(self, done: Launch, number: int, *, perhaps: bool) -> dict[int, list[int]]:
        """The candidates that are worth another launch, with the base, by point."""
        left = {}
        base = self.asked.base
        for point, candidates in self._wanted.items():
            better = [c for c in candidates if c != base and is_better(done, number, point, c, self.asked, perhaps)]
            if better:
                left[point] = [base, *better]
        return left


class Courses:
    """Several measurements, whose launches alternate."""

    def __init__(self, courses: Sequence[Course]) -> None:
        self._courses = courses

    def turns(self, launches: int) -> list[Turn[tuple[int, str]]]:
        """Their candidates: which course, and whether it is a first look."""
        looks = [(number, FIRST_LOOK) for number, course in enumerate(self._courses) if course.screening]
        measured = [(number, MEASURED) for number in range(len(self._courses))]
        return [*turns(looks, 1), *turns(measured, launches, Order.BACK_AND_FORTH)]

    def launch_of(self, turn: Turn[tuple[int, str]]) -> ProgramLaunch | None:
        return self._courses[turn.candidate[0]].launch_of(_own(turn))

    def take(self, done: Done[tuple[int, str]]) -> None:
        self._courses[done.turn.candidate[0]].take(Done(_own(done.turn), done.outcome))


def _own(turn: Turn[tuple[int, str]]) -> Turn[str]:
    return Turn(turn.candidate[1], turn.round, turn.place, turn.rounds, turn.places)


def _number(turn: Turn[str]) -> int:
    """Of a launch: seeds depend on it. The first look comes before the one that is counted as 0."""
    return -1 if turn.candidate == FIRST_LOOK else turn.round
