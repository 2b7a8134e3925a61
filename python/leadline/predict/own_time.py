"""The recorder's own time between calls, which the replay has as computation: a call that is not made takes its part of
it along.

To record a call takes some 100 ns, as much as a short message. Of 60 messages in each step that one replaces, it was a
quarter of what the mended program gained (docs/tune/advise-suite.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leadline.figures.run import Run
from leadline.predict.changes import Made
from leadline.predict.figures import Figures

POLLS = "poll-once"  # what lies between polls belongs to them already
OF_POWER = 1.5  # polls are counted as the power of two below their number


def saved_s(run: Run, made: Sequence[Made]) -> float:
    """By calls that are not made any more, on a mean rank, in all steps of the recording. Without that of polls, which
    the changed tree does not have."""
    return _of_calls(run, sum(each.calls_before - each.calls_after for each in made if each.change != POLLS))


def saved_with_polls_s(run: Run, made: Sequence[Made]) -> float:
    fewer = ((OF_POWER if each.change == POLLS else 1) * (each.calls_before - each.calls_after) for each in made)
    return _of_calls(run, sum(fewer))


def _of_calls(run: Run, fewer: float) -> float:
    calls = sum(process.total.calls for process in run.processes)
    own_s = sum(process.own_ns for process in run.processes) * 1e-9
    return own_s * min(fewer / calls, 1.0) / len(run.processes) if fewer > 0 and calls else 0.0


def without(figures: Figures, seconds: float, steps: int) -> Figures:
    """So much shorter; at most as long as it was.   steps: 0: there is no main loop."""
    iteration = figures.iteration
    if iteration is not None and steps:
        likely, low, high = iteration
        iteration = likely - seconds / steps, low - seconds / steps, high
    phase = "loop" if figures.phases_s["loop"] is not None else "initialisation"
    phase_s = figures.phases_s[phase]
    return replace(
        figures,
        seconds=figures.seconds - seconds,
        low=figures.low - seconds,
        iteration=iteration,
        phases_s={**figures.phases_s, phase: None if phase_s is None else phase_s - seconds},
        drawn_s=tuple(each - seconds for each in figures.drawn_s),
    )
