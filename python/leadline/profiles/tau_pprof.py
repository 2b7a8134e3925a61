"""What TAU's `pprof` prints, with or without -p: for each thread of each rank, or (-s) for all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from leadline.profiles import tau
from leadline.profiles.profile import Profile, Row, UnreadableProfile, last_digit, number, rounding, text_lines

THREAD = re.compile(r"NODE ([0-9]{1,9});CONTEXT [0-9]{1,9};THREAD [0-9]{1,9}:\s*")
SUMMARY = re.compile(r"FUNCTION SUMMARY \((\w+)\):\s*")
HEAD = re.compile(r"%Time +Exclusive +Inclusive +#Call +#Subrs +(Inclusive|Count/Call) +(Standard +)?Name\s*")
EVENTS = "USER EVENTS"
# "1:02:03.004", "2:03.004", "3,004", or milliseconds.
CLOCK = re.compile(r"(?:(?:([0-9]{1,9}):)?([0-9]{1,2}):)?([0-9]{1,2})[.,]([0-9]{3})")


def is_pprof(lines: list[str]) -> bool:
    return any(THREAD.fullmatch(line) or SUMMARY.fullmatch(line) or HEAD.fullmatch(line) for line in lines)


def read(path: Path) -> Profile:
    """Lines before the first table are ignored, as a job's other output may be. Raises UnreadableProfile."""
    rows: list[Row] = []
    totals: list[Row] = []
    sites, total_sites = tau.Sites(), tau.Sites()
    seen: set[int] = set()
    for rank, kind, line, place, deviation in _table_lines(path):
        if kind == "mean":
            continue
        row = _row(line, rank, place, deviation, sites if rank is not None else total_sites)
        if row is not None:
            (rows if rank is not None else totals).append(row)
        if rank is not None:
            seen.add(rank)
    ranks = len(seen)
    notes = ["pprof prints times in whole milliseconds only."]
    if ranks > 1 and not totals:
        notes.append("No pprof summary at the end: is the file truncated?")
    if not rows:
        rows, sites = totals, total_sites
        top = max(rows, key=lambda row: row.inclusive_s, default=None)
        if top is None:
            raise UnreadableProfile(f"{path}: no pprof table with counts (the mean table has none)")
        if top.function != tau.APPLICATION or not 1 <= top.calls <= 1e9 or top.calls_error:
            raise UnreadableProfile(
                f"{path}: the summary does not say how many ranks there were: it has no {tau.APPLICATION}; run pprof "
                "without -s"
            )
        ranks = int(top.calls)
    application, in_mpi = tau.spans(rows)
    return Profile(
        str(path),
        "pprof text",
        ranks,
        tuple(rows),
        sites=sites.all(),
        application_s=application,
        in_mpi_s=in_mpi,
        notes=tuple(notes),
    )


def _table_lines(path: Path) -> Iterator[tuple[int | None, str, str, str, bool]]:
    """Rank, kind of summary, text and place of each row, and whether it has the column of deviations."""
    rank: int | None = None
    kind = ""
    inside = deviation = False
    lines = text_lines(path)
    for at, line in enumerate(lines, 1):
        place = f"{path}, line {at}"
        if (thread := THREAD.fullmatch(line)) is not None:
            rank, kind, inside = int(thread[1]), "thread", False
        elif (summary := SUMMARY.fullmatch(line)) is not None:
            rank, kind, inside = None, summary[1], False
        elif (head := HEAD.fullmatch(line)) is not None and kind:
            if head[1] == "Count/Call":
                raise UnreadableProfile(f"{place}: values of a hardware counter, not times")
            inside, deviation = True, head[2] is not None
        elif line.startswith(EVENTS):
            inside = False
        elif inside and line.strip() and not line.startswith(("---", "              msec")):
            yield rank, kind, line, place, deviation
        elif inside and not line.strip():
            inside = False


def _row(line: str, rank: int | None, place: str, deviation: bool, sites: tau.Sites) -> Row | None:
    cells = line.split(None, 7 if deviation else 6)
    if len(cells) < (8 if deviation else 7):
        raise UnreadableProfile(f"{place}: expected a pprof row, got {line[:60]!r}")
    number(cells[0], place)
    exclusive_s, exclusive_error = _seconds(cells[1], place)
    inclusive_s, inclusive_error = _seconds(cells[2], place)
    calls, per_call_us = number(cells[3], place), number(cells[5], place)
    # The time of a call, in microseconds, is the finer one of a function that was called a few times.
    by_call_s, by_call_error = per_call_us * calls * 1e-6, 0.5e-6 * calls
    if by_call_error < inclusive_error and abs(by_call_s - inclusive_s) <= 2 * (by_call_error + inclusive_error):
        if cells[1] == cells[2]:
            exclusive_s, exclusive_error = by_call_s, by_call_error
        inclusive_s, inclusive_error = by_call_s, by_call_error
    calls_error = rounding(cells[3])
    error = max(exclusive_error, inclusive_error)
    name, throttled = tau.timer(cells[-1])
    if tau.is_path(name):
        sites.add(name, calls, exclusive_s, calls_error, exclusive_error)
        return None
    return Row(name, rank, calls, inclusive_s, exclusive_s, calls_error, throttled, error)


def _seconds(text: str, place: str) -> tuple[float, float]:
    """A time, and how far it may be off. pprof cuts off what is less than a millisecond, where it does not print it."""
    clock = CLOCK.fullmatch(text)
    if clock is not None and ("," in text or ":" in text):
        hours, minutes, seconds, ms = (int(each or 0) for each in clock.groups())
        return hours * 3600 + minutes * 60 + seconds + ms * 1e-3 + 0.5e-3, 0.5e-3
    value = number(text, place) * 1e-3
    if text.isdecimal():  # cut off, or rounded (-p)
        return (value + 0.25e-3, 0.75e-3) if value else (0.0, 0.0)
    return value, last_digit(text) * 1e-3
