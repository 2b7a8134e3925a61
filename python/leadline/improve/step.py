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


class NoLoop(LeadlineError):
    """The record has no main loop whose iterations could be compared."""

    exit_code = 2


def measured(run: Run, pattern: str | None, *, iterations_wanted: bool) -> Measured:
    """What to compare. Raises NoLoop if iterations are wanted and there are none."""
    if pattern is not None:
        return Measured.PRINTED
    why = why_no_iterations(run, iterations(run))
    if not why:
        return Measured.ITERATION
    if iterations_wanted:
        raise NoLoop(f"--iterations: {why}", hint="without it, the whole run is timed")
    return Measured.WHOLE


def why_no_iterations(run: Run, found: Iterations | None) -> str:
    """Why iterations can't be compared; "" if they can."""
    if found is None or found.average_s is None:
        return "the record has no main loop with a known number of iterations"
    if found.found.count < FEWEST:
        return f"the main loop has {found.found.count} iterations, fewer than {FEWEST}"
    share = found.average_s * found.found.count * run.ranks / run.base_s if run.base_s > 0 else 0.0
    if share < LEAST_SHARE:
        return f"the main loop takes {share:.0%} of the run, less than {LEAST_SHARE:.0%}"
    return ""


def recorded(words: Sequence[str], directory: Path) -> tuple[str, ...]:
    """The words that record a command lightly into a directory."""
    return (*module_command("leadline", "record", "--quiet", "--output", str(directory), "--"), *words)


def seconds_of(outcome: Outcome, what: Measured, pattern: str | None, directory: Path) -> float | None:
    """The time of a run that succeeded; None if its recording shows none. directory: of the recording, if any."""
    if what is Measured.PRINTED:
        return counted(outcome, pattern)
    if what is Measured.WHOLE:
        return outcome.wall_s
    try:
        found = iterations(open_run(directory))
    except LeadlineError:
        return None
    return None if found is None else found.average_s
