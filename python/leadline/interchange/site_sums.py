"""What each rank did at each call site of the selection: what the profile formats hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from leadline import _core
from leadline.errors import UsageError
from leadline.interchange.missing import left_out, nothing
from leadline.interchange.selection import Selection, Written


@dataclass(frozen=True)
class Sum:
    """Of a call site on a process. Bytes as in the table `calls`, in a window never less than 0: the bytes of a receive
    belong to the call that posted it, also if it was posted before the window and fewer came.
    """

    site: int
    calls: int
    messages: int
    sent: int
    received: int
    time_ns: float


@dataclass(frozen=True)
class Sizes:
    """Of the messages that a process sent.   exact: false: some were summed beyond the trace's budget."""

    messages: int
    least: int
    most: int
    total: float
    squares: float
    exact: bool


@dataclass(frozen=True)
class ProcessSums:
    process: int
    sites: list[Sum]
    sizes: Sizes


def sums_of(selection: Selection, written: Written) -> Iterator[ProcessSums]:
    """Process after process; notes what is missing. Raises UsageError if the selection has no call with a time."""
    untimed = calls = 0
    local = _local(selection)
    for index, trace in selection.traces():
        found, sizes, without = _core.site_sums(
            selection.run.profile, trace, index, selection.loop, selection.iterations
        )
        sites = [
            Sum(site, calls, messages, max(out, 0), max(into, 0), ns) for site, calls, messages, out, into, ns in found
        ]
        sites += local.get(index, ())
        untimed += without
        calls += sum(each.calls for each in sites)
        yield ProcessSums(index, sites, Sizes(*sizes))
    if not calls:
        raise UsageError(nothing(selection, untimed))
    if untimed:
        written.notes.append(left_out(selection, untimed))


def _local(selection: Selection) -> dict[int, list[Sum]]:
    """By process, the calls of local functions, which are counted for the whole run only."""
    if selection.iterations is not None:
        return {}
    numbers = [number for number, (_, local, _) in enumerate(selection.run.profile.sites()) if local]
    no_worlds = [(row, -1, -1) for row in range(len(selection.run.processes))]
    columns = _core.call_columns(selection.run.profile, [[number] for number in numbers], no_worlds)
    names = ("process", "site", "calls", "time_s")
    found: dict[int, list[Sum]] = {}
    for process, site, calls, time_s in zip(*(columns[name] for name in names), strict=True):
        found.setdefault(process, []).append(Sum(numbers[site], calls, 0, 0, 0, time_s * 1e9))
    return found
