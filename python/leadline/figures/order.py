"""What the order of calls shows."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, TypeVar

from leadline import _core
from leadline.figures.run import Run


@dataclass(frozen=True)
class Order:
    """patterns: for each call site of the profile, the routines that lead to it as numbers."""

    patterns: list[_core.Pattern]
    waits: _core.RunWaits
    phases: _core.RunPhases


def order_of(run: Run) -> Order:
    """Each analysis holds the calls that it looks at until it ends. So one comes after the other, except in a small
    run, and in one of many ranks, where reading the traces takes longer than what is done with them."""
    paths = _routine_paths(run)
    lines = _lines(run)
    run.profile.loops.main  # noqa: B018  # decided once, before several ask
    _core.give_back_freed_memory()  # of opening the run

    if len(run.processes) >= MANY_RANKS and not run.traces.stay_decoded:
        return _in_one_pass(run, paths, lines)

    def patterns() -> list[_core.Pattern]:
        return _all_traces(run, run.profile.pattern_finder()).find(paths, lines)

    def phases_and_waits() -> tuple[_core.RunPhases, _core.RunWaits]:
        phases = _all_traces(run, run.profile.phase_finder()).find(paths)
        _core.give_back_freed_memory()
        return phases, _all_traces(run, run.profile.wait_finder()).find()

    with ThreadPoolExecutor(2 if run.traces.stay_decoded else 1) as pool:
        patterns_found, others = pool.submit(patterns), pool.submit(phases_and_waits)
        try:
            return Order(patterns_found.result(), others.result()[1], others.result()[0])
        finally:
            _core.give_back_freed_memory()


def _in_one_pass(run: Run, paths: list[list[int]], lines: list[int]) -> Order:
    """Each trace is read once for all three."""
    profile = run.profile
    patterns, phases, waits = profile.pattern_finder(), profile.phase_finder(), profile.wait_finder()

    def add(finders: tuple[_Finder, ...], traces: list[tuple[int, _core.Process]]) -> None:
        for index, trace in traces:
            for finder in finders:
                finder.add(trace, index)

    with ThreadPoolExecutor(2) as pool:
        for some in run.traces.again([process.file for process in run.processes]):
            pending = [pool.submit(add, finders, some) for finders in ((patterns,), (phases, waits))]
            for each in pending:
                each.result()
    found_patterns = patterns.find(paths, lines)
    del patterns
    _core.give_back_freed_memory()
    try:
        return Order(found_patterns, waits.find(), phases.find(paths))
    finally:
        _core.give_back_freed_memory()


def waits_alone(run: Run) -> _core.RunWaits:
    """The waits of an Order, where nothing else of it is wanted."""
    run.profile.loops.main  # noqa: B018
    return _all_traces(run, run.profile.wait_finder()).find()


def iteration_waits(run: Run, iterations: list[int], loop: int, known: _core.RunWaits) -> _core.IterationWaits:
    """iterations: ascending.   loop: whose they are; 0: the main one.   known: the run's waits."""
    return _all_traces(run, run.profile.iteration_wait_finder(iterations, loop, known)).find()


def _traces(run: Run) -> Iterator[tuple[int, _core.Process]]:
    for index in range(len(run.processes)):
        try:
            yield index, run.trace(index)
        except _core.TraceError:  # it has disappeared since the run was opened: the others have their patterns
            continue


class _Finder(Protocol):
    def add(self, trace: _core.Process, index: int, /) -> None: ...


F = TypeVar("F", bound=_Finder)
MANY_RANKS = 1000


def _all_traces(run: Run, finder: F) -> F:
    for index, trace in _traces(run):
        finder.add(trace, index)
    return finder


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
