"""TAU's profile folder: a file profile.N.C.T for each thread of each rank N."""

from __future__ import annotations

import re
from pathlib import Path

from leadline.profiles.profile import Profile, Row, UnreadableProfile, number, text_lines

NAME = re.compile(r"profile\.([0-9]{1,9})\.[0-9]{1,9}\.[0-9]{1,9}")
COUNT = re.compile(r"([0-9]{1,9}) templated_functions(_MULTI_\S+)?\s*")
TIMER = re.compile(r'"([^"]*)" (\S+) (\S+) (\S+) (\S+) \S+ GROUP="([^"]*)"\s*')
THROTTLED = "[THROTTLED]"


def read(path: Path) -> Profile:
    """Flat timers only: a call path's time is in its functions' already. Raises UnreadableProfile."""
    files = sorted((int(match[1]), file) for file in path.iterdir() if (match := NAME.fullmatch(file.name)))
    if not files:
        raise UnreadableProfile(f"{path}: no profile.N.0.0 is there, so it is not a TAU profile folder")
    rows = [row for rank, file in files for row in _timers(file, rank)]
    return Profile(str(path), "TAU folder", len({rank for rank, _ in files}), tuple(rows))


def _timers(file: Path, rank: int) -> list[Row]:
    lines = text_lines(file)
    count = COUNT.fullmatch(lines[0]) if lines else None
    if count is None:
        raise UnreadableProfile(f"{file}, line 1: not a count of templated_functions")
    if count[2] not in (None, "_MULTI_TIME", "_MULTI_GET_TIME_OF_DAY", "_MULTI_CLOCK_GETTIME", "_MULTI_LINUX_TIMERS"):
        raise UnreadableProfile(f"{file}: it has values of {count[2].removeprefix('_MULTI_')}, not times")
    if len(lines) < int(count[1]) + 2:
        raise UnreadableProfile(f"{file}: {max(len(lines) - 2, 0):,} of {int(count[1]):,} timers (was it cut off?)")
    rows = []
    for index, line in enumerate(lines[2 : int(count[1]) + 2], 3):
        place = f"{file}, line {index}"
        timer = TIMER.fullmatch(line)
        if timer is None:
            raise UnreadableProfile(f"{place}: not a timer: {line[:60]!r}")
        if "TAU_CALLPATH" in timer[6].split("|"):
            continue
        calls, exclusive_us, inclusive_us = (number(timer[column], place) for column in (2, 4, 5))
        name = timer[1].strip()
        throttled = THROTTLED in name
        name = name.replace(THROTTLED, "").strip()
        name = name.removesuffix("()") if name.startswith("MPI_") else name
        rows.append(Row(name, rank, calls, inclusive_us * 1e-6, exclusive_us * 1e-6, 0.0, throttled))
    return rows
