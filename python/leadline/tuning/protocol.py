"""Tunes how messages are sent, under a program of the user's, because only the program shows which setting is better.

Every candidate is a setting of the MPI library that is first shown to have taken effect (MPI_T in the ranks, and the
library still starts), then runs the program in turn with the library's defaults, several times, in an order that
changes; what decides is the ratio of runs that were next to each other.
"""

from __future__ import annotations

import os
import re
import shutil
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from leadline.errors import MeasurementFailed, UsageError
from leadline.launch import process
from leadline.libraries.sending import DEFAULT, Candidate
from leadline.runs.interruption import Interruption
from leadline.runs.launch import Launch
from leadline.runs.order import Turn, turns
from leadline.runs.outcome import Outcome
from leadline.runs.runner import Done, Runner
from leadline.runs.samples import Samples
from leadline.statistics.paired import PairedRatio
from leadline.tuning.probing import TIME_LIMIT_S, ProbeFailed, ProbeStuck, Subject, ask, subject, words_with

SCHEMA = 1
MOST_EAGER = 2 << 20  # bytes
HEADER = 256  # bytes, at most
LONGEST = (60.0, 10.0)  # a run fails after this many seconds more than this many times the longest default run


@dataclass(frozen=True)
class Tried:
    """The library's behaviour with a candidate. why: the reason why it can't be used; "" if it can.

    eager: the longest message, up to MOST_EAGER bytes, whose send completes before it is received; None: unknown.
    """

    why: str
    eager: int | None = None


def tried(about: Subject, candidate: Candidate, limit_s: float = TIME_LIMIT_S) -> Tried:
    """Whether the library starts with it, its own variable has the value, and messages are sent as the setting says.
    limit_s: for that."""
    control = candidate.control
    wanted = dict((control, *candidate.control_elsewhere)) if control else {}
    try:
        answers = ask(
            about,
            candidate.variables,
            named=list(candidate.variables),
            controls=[*wanted],
            eager=MOST_EAGER,
            limit_s=limit_s,
        )
    except ProbeStuck as error:
        return Tried(str(error))
    except ProbeFailed as error:
        return Tried(f"{candidate.needs}: {error}" if candidate.needs else str(error))
    eager = answers.eager if answers.size > 1 else None
    for name, value in candidate.variables.items():
        if answers.variables.get(name) != value:
            return Tried(f"{name} was not passed to the ranks", eager)
    if control is not None:
        seen = {name: value for name, value in answers.controls.items() if value is not None}
        if not seen:
            return Tried(f"the library has no variable {control[0]}: no effect", eager)
        if all(value != wanted[name] for name, value in seen.items()):
            name, value = next(iter(seen.items()))
            return Tried(f"{name} is {value} despite the setting", eager)
    return Tried(_not_obeyed(candidate, eager), eager)


def _not_obeyed(candidate: Candidate, eager: int | None) -> str:
    """Why messages are not sent as the candidate's limit says; the library's header may count as part of a message."""
    limit = candidate.eager_limit
    if limit is None or eager is None or limit - HEADER <= eager <= limit:
        return ""
    found = f"{eager} bytes or more" if eager >= MOST_EAGER else f"up to {eager} bytes"
    names = " and ".join(candidate.variables)
    return f"{names} = {limit} has no effect: messages of {found} are still sent eagerly"


@dataclass(frozen=True)
class Found:
    """document: as --json prints it.   interruption: the signal that ended the runs early, if any."""

    document: dict[str, Any]
    interruption: Interruption = field(default_factory=Interruption)


def tune_protocol(
    command: Sequence[str],
    *,
    launches: int,
    pattern: str | None,
    say: Callable[[str], None],
    progress: Callable[[str], None] | None = None,
) -> Found:
    """Run `command` with each candidate. pattern: a regular expression whose group is the time, by default wall time.

    say: is given what the user should keep: candidates that are not available, and runs that failed.
    A signal that asks this process to end ends the runs; what they have shown by then is returned.

    Raises UsageError, MissingPrerequisite, CannotStart, and MeasurementFailed if the program fails without any setting.
    """
    if pattern is not None:
        check_pattern(pattern)
    process.resolve(command[0], os.environ.get("PATH"))
    about = subject(command)
    usable: list[Candidate] = []
    eager: dict[str, int | None] = {}
    without: list[dict[str, Any]] = []
    known = about.library
    for candidate in (DEFAULT, *(known.candidates() if known is not None else ())):
        found = tried(about, candidate)
        eager[candidate.name] = found.eager
        if found.why:
            if not candidate.variables:
                raise MeasurementFailed(f"the probe fails even with default settings: {found.why}")
            without.append({"candidate": candidate.name, "what": candidate.what, "why": found.why})
            say(f"not available: {candidate.name}: {found.why}")
        else:
            usable.append(candidate)
    # Without candidates to compare, nothing is run.
    course = _Course(about, pattern, say)
    runner = Runner(progress)
    finished = runner.run(turns(usable, launches if len(usable) > 1 else 0), course.launch_of, course.take)
    if finished.interrupted and not finished.complete_rounds():
        finished.interruption.end_if_any()
    rows = [judge(candidate.name, course.times) for candidate in usable]
    for row, candidate in zip(rows, usable, strict=True):
        row |= {"what": candidate.what, "settings": candidate.variables, "eager_bytes": eager[candidate.name]}
    document = {
        "schema": SCHEMA,
        "library": str(about.file) if known is None else known.title,
        "command": list(command),
        "launches": launches,
        "rows": rows,
        "not_available": without,
        "best": best(rows),
        "interrupted": finished.interrupted,
    }
    return Found(document, finished.interruption)


class _Course:
    """The runs, in turn. times: by candidate, the time of each run that counts; None if it failed."""

    def __init__(self, about: Subject, pattern: str | None, say: Callable[[str], None]) -> None:
        self._about = about
        self._pattern = pattern
        self._say = say
        self._longest_s = 0.0  # of the default's runs, of which one comes before all others
        self.times = Samples()

    def launch_of(self, turn: Turn[Candidate]) -> Launch:
        candidate = turn.candidate
        words, environ = words_with(self._about, candidate.variables)
        limit_s = LONGEST[0] + LONGEST[1] * self._longest_s if candidate.variables else None
        return Launch(candidate.name, tuple(words), environ, limit_s=limit_s)

    def take(self, done: Done[Candidate]) -> None:
        """Raises MeasurementFailed if the default failed, UsageError where the pattern finds no number."""
        candidate, outcome = done.turn.candidate, done.outcome
        if outcome.ok:
            self.times.add(candidate.name, done.turn.round, counted(outcome, self._pattern))
        else:
            self.times.add(candidate.name, done.turn.round, None)
            if not candidate.variables:
                raise MeasurementFailed(f"the program fails even with default settings: {outcome.explained}")
            self._say(f"failed: {candidate.name}: {outcome.explained}")
        if not candidate.variables:
            self._longest_s = max(self._longest_s, outcome.wall_s)


def counted(outcome: Outcome, pattern: str | None) -> float:
    """The seconds that are compared: of the whole run, or those that `pattern` finds in its output.

    Raises UsageError where there is no number.
    """
    if pattern is None:
        return outcome.wall_s
    found = re.search(pattern, outcome.output)
    if found is None:
        raise UsageError(f"--time {pattern!r}: no match in the program's output")
    try:
        return float(found[1])
    except (TypeError, ValueError):  # a group that was not reached is None
        raise UsageError(f"--time: {found[1]!r} is not a number") from None


def check_pattern(pattern: str) -> None:
    """Raises UsageError if it is no regular expression with a group."""
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise UsageError(f"--time {pattern!r}: invalid regular expression: {error}") from None
    if groups < 1:
        raise UsageError(f"--time {pattern!r}: needs a group for the time", hint="e.g. 'time: ([0-9.]+)'")


def judge(name: str, times: Samples) -> dict[str, Any]:
    """Compares seconds by launch, None if the program failed. ratio: default time / its time, of the same launch."""
    found = times.ratio(DEFAULT.name, name)
    return {
        "candidate": name,
        "seconds": times.by_round(name),
        "failed": times.failed(name),
        "ratio": None if found is None else found.interval(),
        "ratio_by_launch": [] if found is None else list(found.ratios),
    }


def best(rows: Sequence[dict[str, Any]]) -> str:
    """The candidate that was faster in every run, of which there were enough; "default" if none was."""
    able = [
        row
        for row in rows
        if not row["failed"] and row["ratio_by_launch"] and PairedRatio(tuple(row["ratio_by_launch"])).faster
    ]
    return max(able, key=lambda row: row["ratio"]["low"])["candidate"] if able else DEFAULT.name


def print_found(found: dict[str, Any]) -> None:
    print(f"{found['library']}: best setting: {found['best']}" + ("; interrupted" if found["interrupted"] else ""))
    for row in found["rows"]:
        ratio = row["ratio"]
        if not row["seconds"]:
            words = "not run: no alternative to compare"
        elif ratio is None:
            words = "failed"
        elif ratio["low"] is None:
            words = f"speedup {ratio['median']:.3f} (too few runs for a CI)"
        else:
            words = f"speedup {ratio['median']:.3f} ({ratio['low']:.3f} to {ratio['high']:.3f})"
        print(f"  {row['candidate']:18} {words}  {row['what']}{_sent(row['eager_bytes'])}")
    print(
        textwrap.fill(
            "speedup: time with the default / time with this setting, with its 95 % CI; above 1 is faster",
            min(shutil.get_terminal_size().columns, 120),
        )
    )
    for lost in found["not_available"]:
        print(f"  {lost['candidate']:18} not available: {lost['why']}")


def _sent(eager: int | None) -> str:
    if eager is None:
        return ""
    return f" (observed eager up to {eager} bytes{' or more' if eager >= MOST_EAGER else ''})"
