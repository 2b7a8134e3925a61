"""What the order of calls shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    """Each analysis holds the calls that it looks at until it ends, so one comes after the other."""
    paths = _routine_paths(run)
    _core.give_back_freed_memory()  # of opening the run
    patterns, waits, phases = run.profile.pattern_finder(), run.profile.wait_finder(), run.profile.phase_finder()
    every = range(len(run.processes))
    _add(patterns, _traces(run, every))
    patterns_found = patterns.find(paths, _lines(run))
    del patterns
    _core.give_back_freed_memory()
    _add(phases, _traces(run, every))
    phases_found = phases.find(paths)
    del phases
    _core.give_back_freed_memory()
    _add(waits, _traces(run, every))
    waits_found = waits.find()
    del waits
    _core.give_back_freed_memory()
    return Order(patterns_found, waits_found, phases_found)


def _traces(run: Run, indices: Iterable[int]) -> Iterator[tuple[int, _core.Process]]:
    for index in indices:
        try:
            yield index, run.trace(index)
        except _core.TraceError:  # it has disappeared since the run was opened: the others have their patterns
            continue


class _Finder(Protocol):
    def add(self, trace: _core.Process, index: int, /) -> None: ...


def _add(finder: _Finder, traces: Iterable[tuple[int, _core.Process]]) -> None:
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
