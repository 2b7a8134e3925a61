"""The recorder's own time between calls, which the replay has as computation: a call that is not made takes its part of
it along, if the changed program is recorded, too.

To record a call takes some 100 ns, as much as a short message. A program that runs without recorder does not gain
that, so it is no part of what is predicted, but of the interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leadline.figures.run import Run
from leadline.predict.changes import Made
from leadline.predict.figures import Figures

POLLS = "poll-once"  # what lies between polls belongs to them, and is left out with them
OF_POWER = 1.5  # polls are counted as the power of two below their number


def saved_s(run: Run, made: Sequence[Made], *, polls: bool = False) -> float:
    """By calls that are not made any more, on a mean rank, in all steps of the recording.   polls: of polls only; else
    of all others."""
    calls = sum(process.total.calls for process in run.processes)
    own_s = sum(process.own_ns for process in run.processes) * 1e-9
    fewer = sum(each.calls_before - each.calls_after for each in made if (each.change == POLLS) == polls)
    fewer = round(fewer * OF_POWER) if polls else fewer
    return own_s * min(fewer / calls, 1.0) / len(run.processes) if fewer > 0 and calls else 0.0


def whole_s(run: Run) -> float:
    """All of it, on a mean rank."""
    return sum(process.own_ns for process in run.processes) * 1e-9 / len(run.processes)


def at_least_without(figures: Figures, seconds: float, steps: int) -> Figures:
    """As long, and so much shorter at least.   steps: 0: there is no main loop."""
    iteration = figures.iteration
    if iteration is not None and steps:
        likely, low, high = iteration
        iteration = likely, low - seconds / steps, high
    return replace(figures, low=figures.low - seconds, iteration=iteration)


def later(figures: Figures, seconds: float, steps: int) -> Figures:
    """So much longer.   steps: 0: there is no main loop."""
    iteration = figures.iteration
    if iteration is not None and steps:
        likely, low, high = (each + seconds / steps for each in iteration)
        iteration = likely, low, high
    phase = "loop" if figures.phases_s["loop"] is not None else "initialisation"
    phase_s = figures.phases_s[phase]
    return replace(
        figures,
        seconds=figures.seconds + seconds,
        low=figures.low + seconds,
        high=figures.high + seconds,
        iteration=iteration,
        phases_s={**figures.phases_s, phase: None if phase_s is None else phase_s + seconds},
        drawn_s=tuple(each + seconds for each in figures.drawn_s),
    )
