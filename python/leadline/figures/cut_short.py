"""Why a run did not finish: it is still running, or something ended it. Anything else is a failure of the program."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from leadline.figures import job, unfinished
from leadline.figures.run import Run

# Signals that ask a program to end, and what usually sends them.
SENDERS = {
    "SIGINT": "Ctrl-C",
    "SIGTERM": "time limit or cancelled job",
    "SIGHUP": "terminal closed",
    "SIGQUIT": "Ctrl-\\",
}
_CODES = {129: "SIGHUP", 130: "SIGINT", 131: "SIGQUIT", 143: "SIGTERM"}


TIMEOUT, JOB_LIMIT = "timeout", "job-limit"


@dataclass(frozen=True)
class Interruption:
    """cause: a signal of SENDERS; TIMEOUT, of the command's own `timeout`; JOB_LIMIT, of the batch job.

    after_s: since the command was started, None if unknown.
    """

    cause: str
    after_s: float | None


def still_running(run: Run) -> tuple[int, float] | None:
    """How many ranks are still running on this node, and for how many seconds; None if none is."""
    running = [run.processes[index] for index in unfinished.running(run)]
    if not running:
        return None
    begin = min(process.start_unix_ns for process in running)
    return len(running), max(time.time_ns() - begin, 0) * 1e-9


def interruption(run: Run) -> Interruption | None:
    """Of a run that is over. None if every rank reached its end, or if it is unknown who ended it."""
    if all(process.finalized for process in run.processes):
        return None
    description = run.description
    after_s = _seconds(description.get("signalled_s")) or _seconds(description.get("duration_s"))
    if _reached_the_jobs_end(run):
        return Interruption(JOB_LIMIT, after_s)
    signals = [name for name in description.get("signals") or () if name in SENDERS]
    if signals:
        return Interruption(signals[0], after_s)
    if description.get("timed_out"):
        return Interruption(TIMEOUT, after_s)
    code = description.get("exit_code")
    return Interruption(_CODES[code], after_s) if code in _CODES else None


def _reached_the_jobs_end(run: Run) -> bool:
    """Whether ranks were there until the time at which the batch system ends the job."""
    limit = str((job.batch_job(run) or {}).get("end_time") or "")
    end_ns = unfinished.ended_unix_ns(run)
    return limit.isdecimal() and end_ns is not None and end_ns >= int(limit) * 1_000_000_000


def _seconds(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None
