"""Every failure of Leadline's own, each with its exit code (docs/reference/exit-codes.md). Caught once, in __main__."""

from __future__ import annotations


class LeadlineError(Exception):
    """Leadline could not do something. `hint` is the next step, if there is one."""

    exit_code = 1
    silent = False  # another process of ours prints the message

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(LeadlineError):
    """The command line, a setting or a path given to us cannot be used as it is."""

    exit_code = 2


class NoSuchRun(UsageError, FileNotFoundError):
    """The directory or file given as a run does not exist."""


class NothingRecorded(LeadlineError):
    """The program ran and returned 0, but no trace was written; the message says why."""

    exit_code = 3


class DamagedTrace(LeadlineError):
    """A trace or a run directory cannot be read."""

    exit_code = 4


class MissingPrerequisite(LeadlineError):
    """A library, compiler, package or file that is needed is missing."""

    exit_code = 5


class SlowerThanAllowed(LeadlineError):
    """compare --fail-above: a run takes longer than the first by more than that, beyond the noise."""

    exit_code = 6


class MeasurementFailed(LeadlineError):
    """A program that was to be measured ended with an error, or not in time. The message says at which point."""

    exit_code = 7


class CannotStart(LeadlineError):
    """The program could not be started: 127 if it was not found, 126 if it may not be executed."""

    def __init__(self, message: str, *, found: bool, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.exit_code = 126 if found else 127
