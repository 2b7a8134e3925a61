"""Tunes how messages are sent, under a program of the user's, since it decides which setting is better.

Every candidate is a setting of the MPI library that is first shown to have taken effect (MPI_T in the ranks, and the
library still starts), then runs the program in turn with the library's defaults, several times, in an order that
changes; what decides is the ratio of runs that were next to each other.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import textwrap
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from leadline.bench.launching import run_in_time
from leadline.errors import MeasurementFailed, UsageError
from leadline.launch import process
from leadline.libraries.sending import DEFAULT, Candidate
from leadline.statistics.interval import interval
from leadline.tuning.probing import ProbeFailed, Subject, ask, subject, words_with

SCHEMA = 1
MOST_EAGER = 2 << 20  # bytes
HEADER = 256  # bytes, at most
LONGEST = (60.0, 10.0)  # a run fails after this many seconds more than this many times the longest default run


@dataclass(frozen=True)
class Tried:
    """The library's behaviour with a candidate. why: the reason why it can't be used; "" if it can.

    eager: the longest message, up to MOST_EAGER bytes, whose send completes before it is received; None: not known.
    """

    why: str
    eager: int | None = None


def tried(about: Subject, candidate: Candidate) -> Tried:
    """Whether the library starts with it, its own variable has the value, and messages are sent as the setting says."""
    control = candidate.control
    names = [control[0], *candidate.control_elsewhere] if control else []
    try:
        answers = ask(about, candidate.variables, named=list(candidate.variables), controls=names, eager=MOST_EAGER)
    except ProbeFailed as error:
        return Tried(f"{candidate.needs}: {error}" if candidate.needs else str(error))
    eager = answers.eager if answers.size > 1 else None
    for name, value in candidate.variables.items():
        if answers.variables.get(name) != value:
            return Tried(f"{name} did not reach the ranks", eager)
    if control is not None:
        seen = [value for value in answers.controls.values() if value is not None]
        if not seen:
            return Tried(f"the library has no variable {control[0]}: the setting would do nothing", eager)
        if control[1] not in seen:
            return Tried(f"the library has {control[0]} = {seen[0]} despite the setting", eager)
    return Tried(_not_obeyed(candidate, eager), eager)


def _not_obeyed(candidate: Candidate, eager: int | None) -> str:
    """Why messages are not sent as the candidate's limit says; the library's header may count as part of a message."""
    limit = candidate.eager_limit
    if limit is None or eager is None or limit - HEADER <= eager <= limit:
        return ""
    found = f"{eager} bytes or more" if eager >= MOST_EAGER else f"up to {eager} bytes"
    names = " and ".join(candidate.variables)
    return f"messages of {found} are sent before they are received: {names} = {limit} has no effect"


def tune_protocol(
    command: Sequence[str], *, launches: int, pattern: str | None, say: Callable[[str], None]
) -> dict[str, Any]:
    """Run `command` with each candidate. pattern: a regular expression whose group is the time, by default wall time.

    Raises UsageError, MissingPrerequisite, CannotStart, and MeasurementFailed if the program fails without any setting.
    """
    if pattern is not None:
        _check(pattern)
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
                raise MeasurementFailed(f"the probe does not run as the program would: {found.why}")
            without.append({"candidate": candidate.name, "what": candidate.what, "why": found.why})
            say(f"not available: {candidate.name}: {found.why}")
        else:
            usable.append(candidate)
    # Without candidates to compare, nothing is run.
    times = _times(about, usable, launches if len(usable) > 1 else 0, pattern, say)
    rows = [judge(candidate.name, times["default"], times[candidate.name]) for candidate in usable]
    for row, candidate in zip(rows, usable, strict=True):
        row |= {"what": candidate.what, "settings": candidate.variables, "eager_bytes": eager[candidate.name]}
    return {
        "schema": SCHEMA,
        "library": str(about.file) if known is None else known.title,
        "command": list(command),
        "launches": launches,
        "rows": rows,
        "not_available": without,
        "best": best(rows),
    }


def _times(
    about: Subject, usable: Sequence[Candidate], launches: int, pattern: str | None, say: Callable[[str], None]
) -> dict[str, list[float | None]]:
    """By candidate, the default first: the time of each run that counts; None if it failed. Raises as tune_protocol."""
    times: dict[str, list[float | None]] = {candidate.name: [] for candidate in usable}
    longest_s = 0.0  # of the default's runs, of which one comes before all others
    for number in range(launches):
        first = number % len(usable)
        for candidate in (*usable[first:], *usable[:first]):
            say(f"run {number + 1} of {launches}: {candidate.name}")
            is_default = not candidate.variables
            ran = _run(about, candidate, pattern, None if is_default else LONGEST[0] + LONGEST[1] * longest_s)
            if is_default:
                longest_s = max(longest_s, ran.wall_s)
            if ran.counts is None and is_default:
                raise MeasurementFailed(f"the program fails without any setting: {ran.why}")
            if ran.counts is None:
                say(f"failed: {candidate.name}: {ran.why}")
            times[candidate.name].append(ran.counts)
    return times


def _check(pattern: str) -> None:
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise UsageError(f"--time {pattern!r} is not a regular expression: {error}") from None
    if groups < 1:
        raise UsageError(f"--time {pattern!r} has no group for the time", hint="for example 'time: ([0-9.]+)'")


def judge(name: str, base: Sequence[float | None], times: Sequence[float | None]) -> dict[str, Any]:
    """Compares seconds by launch, None if the program failed. ratio: default time / its time, of the same launch."""
    ratios = [ours / theirs for ours, theirs in zip(base, times, strict=True) if ours and theirs]
    found = interval([[ratio] for ratio in ratios]) if ratios else None
    return {
        "candidate": name,
        "seconds": list(times),
        "failed": sum(seconds is None for seconds in times),
        "ratio": None if found is None else found.as_dict(),
        "ratio_by_launch": ratios,
    }


def best(rows: Sequence[dict[str, Any]]) -> str:
    """The candidate that was faster in every run, its interval clear of 1; "default" if none was."""
    able = [
        row
        for row in rows
        if not row["failed"]
        and row["ratio"]
        and (row["ratio"]["low"] or 0) > 1
        and all(ratio > 1 for ratio in row["ratio_by_launch"])
    ]
    return max(able, key=lambda row: row["ratio"]["low"])["candidate"] if able else "default"


@dataclass(frozen=True)
class _Run:
    """wall_s: of the whole run.   counts: the seconds that are compared; None if it failed, for the reason `why`."""

    wall_s: float
    counts: float | None
    why: str = ""


def _run(about: Subject, candidate: Candidate, pattern: str | None, limit_s: float | None) -> _Run:
    """Its output is not shown. Raises UsageError where `pattern` finds no number in it."""
    words, environ = words_with(about, candidate.variables)
    with (
        tempfile.TemporaryFile("w+", errors="replace") as output,
        tempfile.TemporaryFile("w+", errors="replace") as errors,
    ):
        begin = time.perf_counter()
        code = run_in_time(words, environ, output.fileno(), limit_s, errors=errors.fileno())
        wall_s = time.perf_counter() - begin
        output.seek(0)
        errors.seek(0)
        said = output.read()
        lines = [line.strip() for line in f"{said}\n{errors.read()}".splitlines() if line.strip()]
    if code != 0:
        ended = f"it did not end within {limit_s:.0f} s" if code is None else f"exit code {code}"
        return _Run(wall_s, None, f"{ended}: {' | '.join(lines[-4:]) or 'it printed nothing'}")
    if pattern is None:
        return _Run(wall_s, wall_s)
    found = re.search(pattern, said)
    if found is None:
        raise UsageError(f"--time {pattern!r} is not in the program's output")
    try:
        return _Run(wall_s, float(found[1]))
    except (TypeError, ValueError):  # a group that was not reached is None
        raise UsageError(f"--time: {found[1]!r} is not a number") from None


def print_found(found: dict[str, Any]) -> None:
    print(f"{found['library']}: best is {found['best']}")
    for row in found["rows"]:
        ratio = row["ratio"]
        if not row["seconds"]:
            words = "not run: nothing to compare it with"
        elif ratio is None:
            words = "failed"
        elif ratio["low"] is None:
            words = f"default / this: {ratio['median']:.3f} (too few runs for an interval)"
        else:
            words = f"default / this: {ratio['median']:.3f} ({ratio['low']:.3f} to {ratio['high']:.3f})"
        print(f"  {row['candidate']:18} {words}  {row['what']}{_sent(row['eager_bytes'])}")
    print(
        textwrap.fill(
            "default / this: the time under the default setting divided by that under this one, with a 95 % interval; "
            "above 1 this one is faster",
            min(shutil.get_terminal_size().columns, 120),
        )
    )
    for lost in found["not_available"]:
        print(f"  {lost['candidate']:18} not available: {lost['why']}")


def _sent(eager: int | None) -> str:
    if eager is None:
        return ""
    return f" (seen: to {eager} bytes{' or more' if eager >= MOST_EAGER else ''})"
