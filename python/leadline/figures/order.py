"""What the order of calls shows. Each trace is given to all analyses that need it, which take it at once."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from leadline import _core
from leadline.figures.run import Run


@dataclass(frozen=True)
class Order:
    """patterns: for each call site of the profile, the routines that lead to it as numbers."""

    patterns: list[_core.Pattern]
    waits: _core.RunWaits
    phases: _core.RunPhases


def order_of(run: Run) -> Order:
    patterns = run.profile.pattern_finder()
    waits = run.profile.wait_finder()
    phases = run.profile.phase_finder()
    finders = (waits, patterns, phases)
    with ThreadPoolExecutor(len(finders)) as pool:
        for begin in range(0, len(run.processes), run.traces.at_once):
            traces = _traces(run, range(len(run.processes))[begin : begin + run.traces.at_once])
            for adding in [pool.submit(_add, finder, traces) for finder in finders]:
                adding.result()
    paths = _routine_paths(run)
    return Order(patterns.find(paths, _lines(run)), waits.find(), phases.find(paths))


def _traces(run: Run, indices: Iterable[int]) -> list[tuple[int, _core.Process]]:
    found = []
    for index in indices:
        try:
            found.append((index, run.trace(index)))
        except _core.TraceError:  # it has disappeared since the run was opened: the others have their patterns
            continue
    return found


class _Finder(Protocol):
    def add(self, trace: _core.Process, index: int, /) -> None: ...


def _add(finder: _Finder, traces: list[tuple[int, _core.Process]]) -> None:
    for index, trace in traces:
        finder.add(trace, index)


def _lines(run: Run) -> list[int]:
    """For each call site of the profile, a number that sites of one line and path share."""
    numbers = list(range(len(run.profile.sites())))
    for site in run.sites:
        for member in site.members:
            numbers[member] = site.members[0]
    return numbers


def _routine_paths(run: Run) -> list[list[int]]:
    """For each call site of the profile, the routines that lead to it as numbers, outermost first."""
    by_member = {member: site for site in run.sites + run.file_sites for member in site.members}
    numbers: dict[str, int] = {}
    paths: list[list[int]] = []
    for member in range(len(run.profile.sites())):
        site = by_member.get(member)
        routines = [location.full for location in site.path] if site else []
        paths.append([numbers.setdefault(routine, len(numbers)) for routine in routines])
    return paths
