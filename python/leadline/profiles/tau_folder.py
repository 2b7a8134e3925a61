"""TAU's profile folder: a file profile.N.C.T for each thread of each rank N."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from leadline.profiles import tau
from leadline.profiles.profile import Profile, Row, UnreadableProfile, number, text_lines

NAME = re.compile(r"profile\.([0-9]{1,9})\.[0-9]{1,9}\.[0-9]{1,9}")
COUNT = re.compile(r"([0-9]{1,9}) templated_functions(_MULTI_\S+)?\s*")
TIMER = re.compile(r'"([^"]*)" (\S+) (\S+) (\S+) (\S+) \S+ GROUP="([^"]*)"\s*')
TIMES = "MULTI__TIME"  # where TAU puts times if it measured hardware counters, too


def profiles_in(path: Path) -> list[tuple[int, Path]]:
    """Rank and file of each; [] if the folder is none of TAU's."""
    folder = path / TIMES if (path / TIMES).is_dir() else path
    return sorted((int(match[1]), file) for file in folder.iterdir() if (match := NAME.fullmatch(file.name)))


def read(path: Path) -> Profile:
    """Raises UnreadableProfile."""
    files = profiles_in(path)
    if not files:
        raise UnreadableProfile(f"{path}: no profile.N.0.0: not a TAU profile directory")
    rows: list[Row] = []
    sites = tau.Sites()
    about: dict[int, dict[str, str]] = {}
    for rank, file in files:
        lines = _timers(file)
        about.setdefault(rank, tau.metadata(lines[1]))
        for index, line in enumerate(lines[2:], 3):
            row = _row(line, rank, f"{file}, line {index}", sites)
            if row is not None:
                rows.append(row)
    first = next(iter(about.values()))
    program, arguments = tau.command(first)
    application, in_mpi = tau.spans(rows)
    return Profile(
        str(path),
        "TAU directory",
        len(about),
        tuple(rows),
        tool=_tool(first),
        sites=sites.all(),
        application_s=application,
        in_mpi_s=in_mpi,
        environment=tau.environment(list(about.values())),
        program=program,
        arguments=arguments,
    )


def _tool(about: Mapping[str, str]) -> str:
    if about.get("TAU Version"):
        return f"TAU {about['TAU Version']}"
    return f"TAU profile by {about['Recorded by']}" if about.get("Recorded by") else "TAU"


def _timers(file: Path) -> list[str]:
    """The two lines of the head, then those of the timers."""
    lines = text_lines(file)
    count = COUNT.fullmatch(lines[0]) if lines else None
    if count is None:
        raise UnreadableProfile(f"{file}:1: expected a count of templated_functions")
    if count[2] not in (None, "_MULTI_TIME", "_MULTI_GET_TIME_OF_DAY", "_MULTI_CLOCK_GETTIME", "_MULTI_LINUX_TIMERS"):
        raise UnreadableProfile(f"{file}: contains values of {count[2].removeprefix('_MULTI_')}, not times")
    if len(lines) < int(count[1]) + 2:
        raise UnreadableProfile(f"{file}: only {max(len(lines) - 2, 0):,} of {int(count[1]):,} timers (truncated?)")
    return lines[: int(count[1]) + 2]


def _row(line: str, rank: int, place: str, sites: tau.Sites) -> Row | None:
    """None for a call path, whose time is in its functions' already."""
    found = TIMER.fullmatch(line)
    if found is None:
        raise UnreadableProfile(f"{place}: expected a timer, got {line[:60]!r}")
    calls, exclusive_us, inclusive_us = (number(found[column], place) for column in (2, 4, 5))
    if "TAU_CALLPATH" in found[6].split("|"):
        sites.add(found[1], calls, exclusive_us * 1e-6)
        return None
    name, throttled = tau.timer(found[1])
    return Row(name, rank, calls, inclusive_us * 1e-6, exclusive_us * 1e-6, 0.0, throttled)
