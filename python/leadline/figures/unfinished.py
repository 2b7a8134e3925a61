"""Ranks that did not reach their end: the call they were in, since when, and which of them stopped first.

Live memory holds a rank's last call, and when that began or ended. Processes that outlived the rank know how long it
lived: the keeper of `leadline exec` and `leadline run` note the end of processes on their node, and run.json has that
of the whole command. A process that is still running lives until now.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from dataclasses import dataclass

from leadline import nodes
from leadline.figures.run import Run

LEAST_S = 1.0  # of silence that is worth a message, and
LEAST_SHARE = 0.1  # of the rank's life
APART_S = 3.0  # between ends of processes that did not end together: some are noted every two seconds

EXACT, COMMAND, AT_LEAST, RUNNING, UNKNOWN = "process", "command", "at-least", "running", "unknown"


@dataclass(frozen=True)
class Stop:
    """The end of one rank. Times are in seconds from the beginning of the run; until: None if its end is unknown.

    call: the function it sat in; None if it was in none.   since_s: when that began, or when its last call ended.
    source: how `until_s` is known: "process", "command" (the end of the whole run), "at-least", "running" or "unknown".
    """

    label: str
    host: str
    call: str | None
    routine: str
    last_call_s: float
    since_s: float
    until_s: float | None
    source: str

    @property
    def silent_s(self) -> float | None:
        return None if self.until_s is None else self.until_s - self.since_s

    @property
    def silent_share(self) -> float:
        """A share of the rank's life; 0 if its end is unknown."""
        return self.silent_s / self.until_s if self.silent_s is not None and self.until_s else 0.0

    @property
    def clearness(self) -> float:
        """How far it is beyond both bounds; 1: it just reaches them."""
        return min((self.silent_s or 0.0) / LEAST_S, self.silent_share / LEAST_SHARE)

    @property
    def long(self) -> bool:
        return self.silent_s is not None and self.silent_s >= LEAST_S and self.silent_share >= LEAST_SHARE


def stops(run: Run) -> list[Stop]:
    """The stops of ranks that did not close their traces, as far as they are known, in display order."""
    unfinished = [index for index in run.order if not run.processes[index].complete and run.processes[index].ends]
    if not unfinished:
        return []
    times = run.profile.time().processes
    until = _until(run)
    routines = _Routines(run)
    found = []
    for index in unfinished:
        process = run.processes[index]
        # If there are several threads, take the one that was active last: others may wait for work all the time.
        last_end, in_call, function, site, begin = max(process.ends, key=lambda end: end[4] if end[1] else end[0])
        since_ns = begin if in_call else last_end
        end_ns, source = until.of(index)
        known = end_ns is not None and end_ns >= since_ns
        begun = times[index].begin_ns
        found.append(
            Stop(
                run.label(index),
                process.host,
                run.profile.functions[function].name if in_call else None,
                routines.of(site) if in_call else "",
                (begun + last_end) * 1e-9,
                (begun + since_ns) * 1e-9,
                (begun + end_ns) * 1e-9 if known and end_ns is not None else None,
                source if known else UNKNOWN,
            )
        )
    return found


def ended_unix_ns(run: Run) -> int | None:
    """When the last of the processes that did not come to their end was gone, at the least; None if unknown."""
    unfinished = [index for index in run.order if not run.processes[index].complete]
    until = _until(run) if unfinished else None
    ends = []
    for index in unfinished:
        since_begin, source = until.of(index) if until is not None else (None, UNKNOWN)
        if since_begin is not None and source != RUNNING:
            ends.append(run.processes[index].start_unix_ns + since_begin)
    return max(ends, default=None)


def running(run: Run) -> list[int]:
    """The processes on this node that have not come to their end yet, in display order."""
    unfinished = [index for index in run.order if not run.processes[index].complete]
    until = _until(run) if unfinished else None
    return [index for index in unfinished if until is not None and until.is_running(index)]


def first(found: Sequence[Stop], clock_error_s: float | None) -> tuple[Stop, str] | None:
    """The rank that stopped before the others, and how that is known; None if it may have been any of several.

    A waiting rank waits for one that makes no call: one that ended before the others, or was in no call.
    """
    if len(found) < 2:
        return None
    ended = sorted((s for s in found if s.source == EXACT and s.until_s is not None), key=lambda s: s.until_s or 0.0)
    if ended and ended[0].until_s is not None:
        others = [s for s in found if s is not ended[0]]
        if all(s.until_s is not None and s.until_s - ended[0].until_s > APART_S for s in others):
            return ended[0], "ended"
    outside = [s for s in found if s.call is None]
    candidates, how = (outside, "no-call") if outside else (list(found), "first-in-call")
    candidates.sort(key=lambda s: s.since_s)
    one_host = len({s.host for s in candidates}) == 1
    error = 0.0 if one_host else clock_error_s
    if error is None:
        return None
    if len(candidates) > 1 and candidates[1].since_s - candidates[0].since_s <= error:
        return None
    return candidates[0], how


def clock_error_s(run: Run) -> float | None:
    """The error of comparing times of different ranks; None if it is unknown."""
    error_ns: float = run.profile.time().error_ns
    return None if error_ns < 0 else error_ns * 1e-9


class _Routines:
    """The routine of each call site of the profile."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def of(self, site: int) -> str:
        found = self._sites.get(site)
        return "" if found is None or found == "?" else found

    @functools.cached_property
    def _sites(self) -> dict[int, str]:
        return {member: site.routine for site in self._run.sites for member in site.members}


def _until(run: Run) -> _Until:
    """One for each run, so that all parts of a report agree about processes that end while it is made."""
    if run.ends_seen is None:
        run.ends_seen = _Until(run)
    found: _Until = run.ends_seen
    return found


class _Until:
    """When processes ended, in ns from their own begin, as it was when this was first asked."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._folder = run.path if run.path.is_dir() else run.path.parent
        self._ends, self._beats = nodes.read_ends(self._folder)
        self._running: dict[int, bool] = {}
        self._live = {file.name: file for folder in nodes.folders_here(self._folder) for file in folder.glob("*.live")}

    def is_running(self, index: int) -> bool:
        if index not in self._running:
            process = self._run.processes[index]
            live = self._live.get(process.file.rsplit("/", 1)[-1])
            ended = (nodes.name_in_files(process.host), process.pid) in self._ends
            self._running[index] = not ended and live is not None and nodes.is_in_use(live)
        return self._running[index]

    def of(self, index: int) -> tuple[int | None, str]:
        process = self._run.processes[index]
        begin = process.start_unix_ns
        key = (nodes.name_in_files(process.host), process.pid)
        if key in self._ends:
            return self._ends[key] - begin, EXACT
        if self.is_running(index):
            return time.time_ns() - begin, RUNNING
        end = self._run.description.get("end_unix_ns")
        if isinstance(end, int) and self._run.description.get("command") is not None:  # else of several jobs
            return end - begin, COMMAND
        host = nodes.name_in_files(process.host)
        beats = [self._beats[host]] if host in self._beats else []
        if self._run.description.get("state") == "running":
            beats.append((self._folder / "run.json").stat().st_mtime_ns)
        return (max(beats) - begin, AT_LEAST) if beats else (None, UNKNOWN)
