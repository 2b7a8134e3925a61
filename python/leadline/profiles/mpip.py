"""A report of mpiP 3.x: verbose (the default), concise (-c), by function only (-k 0), with either format of numbers."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from leadline.profiles.profile import CallSite, Profile, Row, UnreadableProfile, last_digit, number, text_lines

FIRST = "@ mpiP"
SECTION = re.compile(r"@--- (.*?) -*")
END = "End of Report"
FIELD = re.compile(r"@ ([^:]+): (.*)")
FRAME = re.compile(r" *([0-9]{1,9}) +([0-9]{1,6}) (.*)")
TOP = 20  # how many call sites mpiP's Aggregate sections have at most
UNKNOWN = "[unknown]"
MAIN = ("main", ".main", "MAIN__")  # where mpiP's call paths begin at the latest


@dataclass(frozen=True)
class Line:
    text: str
    place: str


@dataclass
class _Site:
    """As the sections that mention it say."""

    function: str
    calls: float | None = None
    time_s: float | None = None
    time_error_s: float = 0.0
    n_bytes: float | None = None
    bytes_error: float = 0.0
    path: tuple[str, ...] = ()
    line: int = 0
    frames: list[tuple[int, str, str, int]] = field(default_factory=list)  # level, file, routine, line

    def time(self, seconds: float, error_s: float) -> None:
        """The most precise of what the sections say."""
        if self.time_s is None or error_s < self.time_error_s:
            self.time_s, self.time_error_s = seconds, error_s


def is_mpip(lines: Sequence[str]) -> bool:
    return bool(lines) and lines[0].strip() == FIRST


def read(path: Path) -> Profile:
    """Raises UnreadableProfile."""
    lines = text_lines(path)
    if not is_mpip(lines):
        raise UnreadableProfile(f"{path}:1: expected {FIRST!r}: not an mpiP report")
    head, sections = _parts(path, lines)
    application, in_mpi, error_s, ranks = _spans(path, sections)
    found: dict[str, _Site] = {}
    _frames(sections, found)
    listed = len(found)
    whole_s = sum(application.values())
    times = _times(sections, found, whole_s)
    _aggregates(sections, found, whole_s)
    _moved(sections, found)
    measured = {number: site for number, site in found.items() if site.time_s is not None}
    notes: list[str] = []
    complete = times or len(measured) >= listed > 0 or 0 < len(measured) < TOP
    if not complete:
        notes.append(f"Only {len(measured)} call sites (Aggregate section): function totals are too low.")
    sites = tuple(_sites(measured.values()))
    depth: int | None = max((len(site.frames) for site in found.values()), default=0)
    nowhere = sum(UNKNOWN in site.path or not site.path for site in measured.values()) if depth else 0
    if nowhere:
        notes.append(
            f"{nowhere} of {len(measured)} call sites have only addresses, so call sites are omitted (mpiP names "
            "the call sites of all ranks only if addresses are the same on every rank: link with -no-pie, or start "
            "with setarch -R)."
        )
    elif measured and all(site.path and site.path[0] in MAIN for site in measured.values()):
        depth = None
    program, arguments = _command(head)
    return Profile(
        str(path),
        "mpiP report",
        ranks,
        tuple(_functions(measured.values())) if complete else (),
        tool=f"mpiP {head['Version'][0]}" if "Version" in head else "mpiP",
        sites=() if depth == 0 or nowhere else sites,
        depth=depth,
        all_sites=complete,
        application_s=application,
        in_mpi_s=in_mpi,
        span_error_s=error_s,
        environment=_environment(head),
        program=program,
        arguments=arguments,
        notes=tuple(notes),
    )


def _parts(path: Path, lines: Sequence[str]) -> tuple[dict[str, list[str]], dict[str, list[Line]]]:
    """The fields before the first section, and the lines of each section without ": 34" in its title."""
    head: dict[str, list[str]] = defaultdict(list)
    sections: dict[str, list[Line]] = {}
    now: list[Line] | None = None
    ended = False
    for at, text in enumerate(lines, 1):
        if (title := SECTION.fullmatch(text)) is not None:
            name = re.sub(r": [0-9]+$", "", title[1])
            ended = ended or name == END
            if name in sections:
                raise UnreadableProfile(f"{path}, line {at}: duplicate section {name!r}")
            now = sections[name] = []
        elif now is None and (each := FIELD.fullmatch(text)) is not None:
            head[each[1].strip()].append(each[2].strip())
        elif now is not None and text.strip() and not text.startswith("---"):
            now.append(Line(text, f"{path}, line {at}"))
    if not ended:
        raise UnreadableProfile(f"{path}: truncated after {len(lines):,} lines (no {END!r})")
    return head, sections


def _section(sections: Mapping[str, list[Line]], begins: str) -> tuple[str, list[Line]]:
    """Title, and the lines after that of the columns."""
    for title, lines in sections.items():
        if title.startswith(begins):
            return title, lines[1:]
    return "", []


def _spans(
    path: Path, sections: Mapping[str, list[Line]]
) -> tuple[dict[int | None, float], dict[int | None, float], float, int]:
    """By task; or None for the sum of all. Time, time in MPI, how far their difference may be off, and the tasks."""
    error_s = 0.0
    application: dict[int | None, float] = {}
    in_mpi: dict[int | None, float] = {}
    _, lines = _section(sections, "MPI Time (seconds)")
    for line in lines:
        cells = line.text.split()
        if len(cells) != 4:
            raise UnreadableProfile(f"{line.place}: expected 4 columns, got {len(cells)}")
        if cells[0] != "*":
            rank = int(number(cells[0], line.place))
            if rank in application:
                raise UnreadableProfile(f"{line.place}: duplicate task {rank}")
            app_s, mpi_s, share = (number(cell, line.place) for cell in cells[1:])
            by_time = last_digit(cells[1]) + last_digit(cells[2])
            by_share = app_s * last_digit(cells[3]) / 100  # finer, as a rule: times have three digits
            finer = by_share < by_time
            application[rank], in_mpi[rank] = app_s, min(share / 100 * app_s if finer else mpi_s, app_s)
            error_s = max(error_s, min(by_share, by_time))
    if application:
        return application, in_mpi, error_s, len(application)
    _, lines = _section(sections, "Task Time Statistics (seconds)")
    rows = {line.text.split()[0]: line for line in lines}
    if "Aggregate" not in rows or "Mean" not in rows:
        raise UnreadableProfile(f"{path}: no MPI Time section, so the number of ranks is unknown")
    values = {
        name: [number(cell, rows[name].place) for cell in rows[name].text.split()[1:3]]
        for name in ("Aggregate", "Mean")
    }
    if any(len(each) < 2 for each in values.values()) or not values["Mean"][0] > 0:
        raise UnreadableProfile(f"{rows['Mean'].place}: mean time of a task is missing")
    tasks = values["Aggregate"][0] / values["Mean"][0]
    if not 1 <= round(tasks) <= 1e9 or abs(tasks - round(tasks)) > 0.1:
        raise UnreadableProfile(
            f"{rows['Aggregate'].place}: the total is {tasks:.4g} times the mean, which cannot be a number of tasks"
        )
    return {None: values["Aggregate"][0]}, {None: values["Aggregate"][1]}, 0.0, round(tasks)


def _frames(sections: Mapping[str, list[Line]], found: dict[str, _Site]) -> None:
    """Columns have the width of what is in them, and C++ names have spaces: the title says where columns begin."""
    title = next((name for name in sections if name.startswith("Callsites")), "")
    lines = sections.get(title, [])
    if not lines:
        return
    at = [lines[0].text.find(word) for word in ("File/Address", "Line", "Parent_Funct", "MPI_Call")]
    if min(at) < 0:
        raise UnreadableProfile(f"{lines[0].place}: expected the header of the call sites, got {lines[0].text[:60]!r}")
    width, routine_at = at[1] + len("Line") - len(" 1234") - at[0], at[2] - at[0]
    for line in lines[1:]:
        frame = FRAME.fullmatch(line.text)
        if frame is None:
            raise UnreadableProfile(f"{line.place}: expected a call site, got {line.text[:60]!r}")
        rest = frame[3]
        file, row, names = rest[:width].strip(), rest[width:routine_at].strip(), rest[routine_at:]
        level = int(frame[2])
        function = ""
        if level == 0:
            names, _, function = names.rstrip().rpartition(" ")
        if (level == 0) != (frame[1] not in found) or (level == 0 and not function):
            raise UnreadableProfile(f"{line.place}: call site {frame[1]}: level {level} out of order")
        site = found.setdefault(frame[1], _Site("MPI_" + function))
        site.frames.append((level, file, names.strip(), int(row) if row.isdecimal() and len(row) < 10 else 0))
    for site in found.values():
        site.path = tuple(name if name and name != UNKNOWN else UNKNOWN for _, _, name, _ in reversed(site.frames))
        site.line = site.frames[0][3]


def _of(found: dict[str, _Site], name: str, number: str) -> _Site:
    """Without call sites (-k 0), a function's number stands for it."""
    return found.setdefault(number, _Site("MPI_" + name))


def _times(sections: Mapping[str, list[Line]], found: dict[str, _Site], whole_s: float) -> bool:
    """The lines of all ranks together are there whatever the threshold of the report is. Whether there are any."""
    title, lines = _section(sections, "Callsite Time statistics")
    if "all callsites" in title:  # concise: by task, no counts
        for name, number_, cells, place in _rows(lines, 8):
            tasks, mean_s = number(cells[0], place), number(cells[2], place) * 1e-3
            _of(found, name, number_).time(tasks * mean_s, tasks * last_digit(cells[2]) * 1e-3)
        return bool(lines)
    for name, number_, cells, place in _rows(lines, 9):
        if cells[0] != "*":
            continue
        site = _of(found, name, number_)
        calls, mean_s, share = number(cells[1], place), number(cells[3], place) * 1e-3, number(cells[5], place)
        site.calls = calls
        site.time(calls * mean_s, calls * last_digit(cells[3]) * 1e-3)
        site.time(share / 100 * whole_s, last_digit(cells[5]) / 100 * whole_s)
    return bool(lines)


def _aggregates(sections: Mapping[str, list[Line]], found: dict[str, _Site], whole_s: float) -> None:
    """The call sites with the longest time; in reports without statistics of all, the only ones."""
    _, lines = _section(sections, "Aggregate Time")
    for name, number_, cells, place in _rows(lines, 6, 7):
        site = _of(found, name, number_)
        site.time(number(cells[0], place) * 1e-3, last_digit(cells[0]) * 1e-3)
        if site.calls is None:
            site.calls = number(cells[3], place)


def _moved(sections: Mapping[str, list[Line]], found: dict[str, _Site]) -> None:
    """Bytes sent; of I/O and one-sided calls, bytes moved."""
    for begins in ("Callsite Message Sent statistics", "Callsite I/O statistics", "Callsite RMA statistics"):
        title, lines = _section(sections, begins)
        concise = "all callsites" in title
        for name, number_, cells, place in _rows(lines, 8):
            if not concise and cells[0] != "*":
                continue
            site = _of(found, name, number_)
            times, text = (number(cells[0], place), cells[2]) if concise else (1.0, cells[5])
            site.n_bytes = (site.n_bytes or 0.0) + times * number(text, place)
            # Sums of up to four digits are whole; longer ones are rounded to four.
            site.bytes_error += times * last_digit(text) if "e" in text.lower() or "." in text else 0.0


def _rows(lines: Sequence[Line], *widths: int) -> Iterator[tuple[str, str, list[str], str]]:
    """Function, number of the call site, the other cells, and the place."""
    for line in lines:
        cells = line.text.split()
        if len(cells) not in widths or not cells[1].isdecimal() or len(cells[1]) > 9:
            if line.text.startswith(("Total ", "No ")):  # a sentence
                continue
            raise UnreadableProfile(f"{line.place}: expected a call-site row, got {line.text[:60]!r}")
        yield cells[0], cells[1], cells[2:], line.place


def _sites(found: Iterable[_Site]) -> Iterator[CallSite]:
    """mpiP gives a call site a number for each address; those of one place are merged here."""
    from leadline.symbols.names import readable

    by_place: dict[tuple[str, tuple[str, ...], int], list[_Site]] = defaultdict(list)
    for site in found:
        by_place[site.function, site.path, site.line].append(site)
    for (function, path, line), members in by_place.items():
        names = tuple(name if name == UNKNOWN else readable(name)[1] for name in path)
        yield CallSite(
            function,
            names,
            line,
            *_sums(members),
            n_bytes=sum(site.n_bytes or 0.0 for site in members),
            bytes_error=sum(site.bytes_error for site in members),
        )


def _functions(found: Iterable[_Site]) -> Iterator[Row]:
    by_name: dict[str, list[_Site]] = defaultdict(list)
    for site in found:
        by_name[site.function].append(site)
    for function, members in by_name.items():
        calls, time_s, calls_error, time_error_s = _sums(members)
        yield Row(function, None, calls, time_s, time_s, calls_error, False, time_error_s)


def _sums(members: Sequence[_Site]) -> tuple[float, float, float, float]:
    """Calls, time, and how far each may be off."""
    unknown = any(site.calls is None for site in members)
    return (
        0.0 if unknown else sum(site.calls or 0.0 for site in members),
        sum(site.time_s or 0.0 for site in members),
        float("inf") if unknown else 0.0,
        sum(site.time_error_s for site in members),
    )


def _command(head: Mapping[str, list[str]]) -> tuple[str, tuple[str, ...] | None]:
    words = head["Command"][0].split() if head.get("Command") else []
    return (os.path.basename(words[0]), tuple(words[1:])) if words else ("", None)


def _environment(head: Mapping[str, list[str]]) -> dict[str, str]:
    found = {}
    hosts: dict[str, int] = defaultdict(int)
    for text in head.get("MPI Task Assignment", []):
        hosts[text.partition(" ")[2].strip()] += 1
    if hosts:
        found["Hosts"] = ", ".join(sorted(hosts))
    for title, name in (("mpiP settings", "MPIP env var"), ("mpiP timer", "Timer Used")):
        if head.get(name):
            found[title] = head[name][0]
    return found
