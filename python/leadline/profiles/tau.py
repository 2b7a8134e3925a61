"""What all of TAU's formats share: names of timers, call paths, and what belongs to the start and end of MPI."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from leadline.profiles.profile import CallSite, Row

APPLICATION = ".TAU application"
THROTTLED = "[THROTTLED]"
ARROW = " => "
STARTUP = ("MPI_Init", "MPI_Init_thread", "MPI_Finalize")

_PLACE = re.compile(r" \[\{[^\]]*\]?")  # " [{halo.c} {12,1}-{20,1}]"
_LANGUAGE = re.compile(r" (C|C\+\+|Fortran)$")


def timer(text: str) -> tuple[str, bool]:
    """The name of a timer, an MPI function's without "()"; and whether TAU stopped measuring it."""
    name = text.strip()
    throttled = THROTTLED in name
    name = name.replace(THROTTLED, "").strip()
    return name.removesuffix("()") if name.startswith("MPI_") else name, throttled


def routine(name: str) -> str:
    """ "void halo::pass(Field &, int) C++ [{halo.cpp} {95,1}-{111,1}]" -> "halo::pass"."""
    name = _LANGUAGE.sub("", _PLACE.sub("", name).strip())
    if not name.endswith(")"):
        return name
    depth = 0
    for at in range(len(name) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(name[at], 0)
        if depth == 0:
            return name[:at].strip().rpartition(" ")[2] if "(" not in name[:at] else name[:at].strip()
    return name


def is_path(name: str) -> bool:
    return ARROW in name


class Sites:
    """Call paths that end in an MPI function, summed over ranks as they are added."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, tuple[str, ...]], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0, 0.0])

    def add(self, name: str, calls: float, time_s: float, calls_error: float = 0.0, time_error_s: float = 0.0) -> None:
        *path, leaf = name.split(ARROW)
        function, _ = timer(leaf)
        if function.startswith("MPI_") and function not in STARTUP:
            routines = tuple(routine(each) for each in path if each.strip() != APPLICATION)
            sums = self._found[function, routines]
            for index, value in enumerate((calls, time_s, calls_error, time_error_s)):
                sums[index] += value

    def all(self) -> tuple[CallSite, ...]:
        return tuple(
            CallSite(function, path, 0, calls, time_s, calls_error, time_error_s)
            for (function, path), (calls, time_s, calls_error, time_error_s) in self._found.items()
        )


def spans(rows: Iterable[Row]) -> tuple[dict[int | None, float], dict[int | None, float]]:
    """By rank: the application's time without starting and ending MPI, and the time in MPI."""
    application: dict[int | None, float] = defaultdict(float)
    startup: dict[int | None, float] = defaultdict(float)
    in_mpi: dict[int | None, float] = defaultdict(float)
    for row in rows:
        application[row.rank] = max(application[row.rank], row.inclusive_s)
        if row.function in STARTUP:
            startup[row.rank] += row.exclusive_s
        elif row.function.startswith("MPI_"):
            in_mpi[row.rank] += row.exclusive_s
    spent = {rank: max(application[rank] - startup[rank], 0.0) for rank in application}
    return spent, {rank: min(in_mpi[rank], spent[rank]) for rank in application}


_METADATA = re.compile(r"<attribute><name>([^<]*)</name><value>([^<]*)</value>")
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))


def metadata(text: str) -> dict[str, str]:
    """The attributes in a profile's second line."""
    found = {}
    for match in _METADATA.finditer(text):
        name, value = match[1], match[2]
        for entity, character in _ENTITIES:
            name, value = name.replace(entity, character), value.replace(entity, character)
        found[name] = value
    return found


def environment(ranks: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """From the metadata of each rank, by the titles of `leadline compare`. Settings of TAU's are left out, but for the
    limits of throttling, which change what is measured."""
    first = ranks[0] if ranks else {}
    found = {}
    for title, names in (
        ("MPI library", ("MPI library",)),
        ("CPU", ("CPU Type",)),
        ("Kernel", ("OS Release",)),
        ("TAU_THROTTLE", ("TAU_THROTTLE",)),
        ("TAU_THROTTLE_NUMCALLS", ("TAU_THROTTLE_NUMCALLS",)),
        ("TAU_THROTTLE_PERCALL", ("TAU_THROTTLE_PERCALL",)),
    ):
        value = next((first[name] for name in names if first.get(name)), None)
        if value is not None:
            found[title] = " ".join(value.split())
    hosts = sorted({each["Hostname"] for each in ranks if each.get("Hostname")})
    if hosts:
        found["Hosts"] = ", ".join(hosts)
    return found


def command(first: Mapping[str, str]) -> tuple[str, tuple[str, ...] | None]:
    """The program's file name, and its arguments if they are known: TAU has them in "Command Line"."""
    words = (first.get("Command Line") or first.get("Executable") or "").split()
    if not words:
        return "", None
    known = "Command Line" in first or len(words) > 1
    return words[0].rsplit("/", 1)[-1], tuple(words[1:]) if known else None
