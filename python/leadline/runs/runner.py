"""Goes through turns: starts each launch, and keeps what became of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from leadline.runs.execute import outcome_of
from leadline.runs.interruption import Interruption, interruption
from leadline.runs.launch import Launch
from leadline.runs.order import Turn
from leadline.runs.outcome import Ending, Outcome, seconds

T = TypeVar("T")
SHOWN_FROM_S = 10.0  # what is left is said only if it is longer


@dataclass(frozen=True)
class Done(Generic[T]):
    """A turn that was taken. Failed or not: that is the outcome's to say."""

    turn: Turn[T]
    outcome: Outcome

    def row(self) -> dict[str, Any]:
        return {"round": self.turn.round, "place": self.turn.place, **self.outcome.row()}


@dataclass
class Finished(Generic[T]):
    """What became of the turns.

    done: in their order.   left_out: those that there was nothing to launch for.   not_begun: the rest, if the time was
    over or a signal came.   why: the reason for that, or "".
    """

    done: list[Done[T]] = field(default_factory=list)
    left_out: list[Turn[T]] = field(default_factory=list)
    not_begun: list[Turn[T]] = field(default_factory=list)
    why: str = ""
    interruption: Interruption = field(default_factory=Interruption)

    @property
    def interrupted(self) -> bool:
        return self.interruption.signal != 0

    def complete_rounds(self) -> int:
        """The number of rounds, from the first on, of which no turn is missing."""
        return min((turn.round for turn in self.not_begun), default=self._rounds())

    def _rounds(self) -> int:
        return max((turn.rounds for turn in (*(each.turn for each in self.done), *self.left_out)), default=0)


@dataclass(frozen=True)
class Runner:
    """progress: is given a line for each launch.   total_limit_s: for all launches together; None: no limit."""

    progress: Callable[[str], None] | None = None
    total_limit_s: float | None = None

    def run(
        self,
        turns: Sequence[Turn[T]],
        launch_of: Callable[[Turn[T]], Launch | None],
        each: Callable[[Done[T]], object] = lambda _: None,
    ) -> Finished[T]:
        """Take the turns in their order.

        launch_of: called right before a turn, so that a launch can depend on those before it; it also prepares what the
        launch needs. None leaves the turn out: it was finished in an earlier session, or its candidate is decided.
        each: called with each launch that ended by itself or by its own limit. What it raises ends the run.

        A signal that asks this process to end ends the launch and the run, and nothing else: see
        `Interruption.end_if_any`.
        """
        finished: Finished[T] = Finished()
        begin = time.monotonic()
        with interruption() as asked:
            finished.interruption = asked
            for at, turn in enumerate(turns):
                if asked.signal or self._left(begin) == 0:
                    finished.not_begun = list(turns[at:])
                    break
                try:
                    kept = self._take(turn, launch_of, each, finished, _Course(at, len(turns), begin))
                except (KeyboardInterrupt, SystemExit):
                    if not asked.signal:
                        raise
                    kept = False  # by a launch that launch_of or each made
                if not kept:
                    is_done = bool(finished.done) and finished.done[-1].turn is turn
                    finished.not_begun = list(turns[at + is_done :])
                    break
        if finished.not_begun:
            limit = seconds(self.total_limit_s or 0)
            finished.why = (
                "interrupted" if finished.interrupted else f"the time limit of {limit} for all launches was reached"
            )
        return finished

    def _take(
        self,
        turn: Turn[T],
        launch_of: Callable[[Turn[T]], Launch | None],
        each: Callable[[Done[T]], object],
        finished: Finished[T],
        course: _Course,
    ) -> bool:
        """Whether there is a result: a launch that is ended for no fault of its own has none."""
        launch = launch_of(turn)
        if launch is None:
            finished.left_out.append(turn)
            return True
        if self.progress is not None:
            self.progress(course.said(turn, launch.label, len(finished.done)))
        outcome = outcome_of(launch, finished.interruption, self._left(course.begin))
        if outcome.ending in (Ending.CUT_SHORT, Ending.INTERRUPTED):
            return False
        done = Done(turn, outcome)
        finished.done.append(done)
        each(done)
        return True

    def _left(self, begin: float) -> float | None:
        if self.total_limit_s is None:
            return None
        return max(0.0, self.total_limit_s - (time.monotonic() - begin))


@dataclass(frozen=True)
class _Course:
    """How far a run has come. at: the number of the turn that is taken, of so many.   begin: of the first."""

    at: int
    of: int
    begin: float

    def said(self, turn: Turn[Any], label: str, launched: int) -> str:
        words = label
        if turn.places > 1:
            words = f"repeat {turn.round + 1} of {turn.rounds}, launch {turn.place + 1} of {turn.places}: {label}"
        elif turn.rounds > 1:
            words = f"{label}: launch {turn.round + 1} of {turn.rounds}"
        left_s = (time.monotonic() - self.begin) / launched * (self.of - self.at) if launched else 0.0
        return words + (f", about {_duration(left_s)} left" if left_s > SHOWN_FROM_S else "")


def _duration(length_s: float) -> str:
    return f"{length_s:.0f} s" if length_s < 100 else f"{length_s / 60:.0f} min"
