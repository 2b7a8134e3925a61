"""What is compared: the time of an iteration of the main loop, a figure that the program prints, or the whole run."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from pathlib import Path

from leadline.errors import LeadlineError
from leadline.figures.iterations import Iterations, iterations
from leadline.figures.run import Run, open_run
from leadline.isolated import module_command
from leadline.runs.outcome import Outcome
from leadline.tuning.protocol import counted

LEAST_SHARE = 0.5  # of the run's time in its main loop: otherwise an iteration says little of the run
FEWEST = 5  # iterations
LIGHT = {"LEADLINE_SERIES": "none", "LEADLINE_VARIABLES": "0"}  # times of loops only: what trials are recorded with


class Measured(enum.Enum):
    ITERATION = "an iteration of the main loop"
    PRINTED = "the time that the program prints"
    WHOLE = "the whole run"
    ENERGY = "the energy of the whole run"


class NoLoop(LeadlineError):
    """The record has no main loop whose iterations could be compared."""

    exit_code = 2


def measured(run: Run, pattern: str | None, *, iterations_wanted: bool, ended: bool = False) -> Measured:
    """What to compare. Raises NoLoop if iterations are wanted and there are none."""
    if pattern is not None:
        return Measured.PRINTED
    why = why_no_iterations(run, iterations(run), ended=ended)
    if not why:
        return Measured.ITERATION
    if iterations_wanted:
        raise NoLoop(f"--iterations: {why}", hint="without it, the whole run is timed")
    return Measured.WHOLE


def iteration_s(found: Iterations | None, *, ended: bool) -> float | None:
    """An iteration's time; None if it is unknown.   ended: whether the run was, amid an iteration.

    It is the mean over ranks, or of a run that was ended, that of the rank with the longest: where only the order of
    calls shows loops, the rest of an iteration may make another loop beside the main loop, with a part of its time.
    """
    if found is None or found.loop is None or not ended:
        return None if found is None else found.average_s
    loops, count = found.run.profile.loops.all, found.found.count
    beside = [loop for loop in loops[1:] if loop.outer == loops[found.loop.number].outer]
    sums = [0.0] * found.run.ranks
    for cell in (cell for loop in beside for cell in loop.cells if cell.process < len(sums)):
        number = cell.repeats + cell.entries
        if count / 2 <= number <= 2 * count:
            sums[cell.process] += cell.time_ns / count
    return max(sums) * 1e-9 or None


def why_no_iterations(run: Run, found: Iterations | None, *, ended: bool = False) -> str:
    """Why iterations can't be compared; "" if they can."""
    average_s = iteration_s(found, ended=ended)
    if found is None or average_s is None:
        return "the record has no main loop with a known number of iterations"
    if found.found.count < FEWEST:
        return f"the main loop has {found.found.count} iterations, fewer than {FEWEST}"
    share = average_s * found.found.count * run.ranks / run.base_s if run.base_s > 0 else 0.0
    if share < LEAST_SHARE:
        return f"the main loop takes {share:.0%} of the run, less than {LEAST_SHARE:.0%}"
    return ""


def recorded(words: Sequence[str], directory: Path) -> tuple[str, ...]:
    """The words that record a command lightly into a directory."""
    return (*module_command("leadline", "record", "--quiet", "--output", str(directory), "--"), *words)


def seconds_of(
    outcome: Outcome, what: Measured, pattern: str | None, directory: Path, *, ended: bool = False
) -> float | None:
    """The time of a run that succeeded; None if its recording shows none. directory: of the recording, if any.

    ended: whether launches are ended early; it need not be this one.
    """
    if what is Measured.PRINTED:
        return counted(outcome, pattern)
    return outcome.wall_s if what in (Measured.WHOLE, Measured.ENERGY) else recorded_s(directory, ended=ended)


def recorded_s(directory: Path, *, ended: bool = False) -> float | None:
    """An iteration's time in a recording; None if it shows none."""
    try:
        found = iterations(open_run(directory))
    except LeadlineError:
        return None
    return None if found is None or found.found.count < FEWEST else iteration_s(found, ended=ended)
