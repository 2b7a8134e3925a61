"""The calls of single iterations, on the ranks that are shown, in one time."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from leadline import _core
from leadline.errors import DamagedTrace
from leadline.figures.content import Content
from leadline.figures.run import Run, Site
from leadline.figures.timeline.waiting import CallWait, by_iteration


@dataclass(frozen=True)
class IterationTime:
    """Of an iteration whose calls all ranks kept. process: the one for which it took longest."""

    number: int
    mean_s: float
    longest_s: float
    process: int


@dataclass(frozen=True)
class StepCalls:
    """The calls of one iteration: rows by lane, then by time. Every column has a value per row, in a buffer.

    lane: index into StepTimeline.processes.   kind: index into `kinds`, in the order in which they first occur: each is
    an index into StepTimeline.sites (-1 unknown) and a function.
    Times in seconds since the run began.   gap_s: since the call before.   polled: polls found nothing in that gap.
    completion: the row that completes its request, -1: not among these.   sent, received: bytes, -1 unknown.
    sends, receives: the rows of each message's ends, -1: in another iteration.   unmatched: ends that lack the other.
    completed_s: when the call's request was completed, NaN not known.   waits: of the rows that waited; None: unknown.
    """

    number: int
    lane: Sequence[int]
    kind: Sequence[int]
    kinds: Sequence[tuple[int, str]]
    begin_s: Sequence[float]
    end_s: Sequence[float]
    gap_s: Sequence[float]
    polled: Sequence[int]
    completion: Sequence[int]
    completed_s: Sequence[float]
    sent: Sequence[int]
    received: Sequence[int]
    sends: Sequence[int]
    receives: Sequence[int]
    unmatched: int
    waits: Mapping[int, CallWait] | None = None

    def __len__(self) -> int:
        return len(self.lane)

    @functools.cached_property
    def rows(self) -> _core.StepRows:
        return _core.StepRows(vars(self))

    def waited_s(self, row: int) -> float:
        """The part of the call, from its begin on, in which it waited, as far as that is known."""
        wait = (self.waits or {}).get(row)
        return wait.seconds if wait is not None else 0.0

    @functools.cached_property
    def start_s(self) -> float:
        """The end of the last call before the iteration, on the rank that began it first."""
        return self.rows.start_s

    @functools.cached_property
    def stop_s(self) -> float:
        return self.rows.stop_s

    def site(self, row: int) -> int:
        return self.kinds[self.kind[row]][0]

    def function(self, row: int) -> str:
        return self.kinds[self.kind[row]][1]

    def rows_by_lane(self, lanes: int) -> list[range]:
        ends = [0] * lanes
        for lane in self.lane:
            ends[lane] += 1
        found, at = [], 0
        for count in ends:
            found.append(range(at, at + count))
            at += count
        return found


class StepTimeline:
    """Iterations of the main loop (or of the step that the user named) on some ranks."""

    def __init__(self, content: Content, processes: Sequence[int]) -> None:
        """processes: indices into run.processes, in display order. Raises DamagedTrace."""
        iterations = content.iterations
        assert iterations is not None
        self.content = content
        self.run = content.run
        self.found = iterations.found
        self.processes = tuple(processes)
        try:
            opened = [self.run.trace(index) for index in processes]
        except _core.TraceError as error:
            raise DamagedTrace(f"cannot re-read a trace: {error} (has it changed or moved?)") from error
        self._core = _core.Timeline(self.run.profile, opened, list(processes), self.found.loop)

    def forget_traces(self) -> None:
        """Free what reads iterations: nothing more of the traces can be asked for, while what was found stays."""
        del self._core
        _core.give_back_freed_memory()

    @functools.cached_property
    def times(self) -> list[IterationTime]:
        """Of the iterations whose calls' times all ranks kept, ascending."""
        kept = None if self.found.kept == "full" else set(self.found.sampled)
        return [
            IterationTime(number, mean * 1e-9, longest * 1e-9, process)
            for number, mean, longest, process in self._core.times()
            if kept is None or number in kept
        ]

    def sites_besides(self, number: int) -> dict[int, set[int]]:
        """By kept iteration, indices into `sites` at which a rank calls in it and not in the given one."""
        kept = {time.number for time in self.times}
        found = {}
        for iteration, sites in self._core.sites_besides(number).items():
            groups = {self._groups[site] for site in sites if site < len(self._groups)} - {-1}
            if iteration in kept and groups:
                found[iteration] = groups
        return found

    @functools.cached_property
    def sites(self) -> list[Site]:
        return [*self.run.sites, *self.run.file_sites]

    @functools.cached_property
    def _groups(self) -> list[int]:
        return groups_of(self.run, self.sites)

    def sums(self, groups: list[int]) -> tuple[dict[int, Sequence[float]], dict[int, Sequence[float]]]:
        """In each of `times`, seconds of all ranks by group, and of computation by process."""
        return self._core.sums([time.number for time in self.times], groups)

    def columns(
        self,
        number: int,
        groups: list[int],
        places: Sequence[tuple[int, int, int]],
        waits: _core.CallWaits | None,
    ) -> dict[str, Any]:
        """Of the table `timeline`; groups: by site of the profile, what `site` is to hold."""
        return self._core.iteration(number, groups, places, waits)

    def calls(self, number: int) -> StepCalls:
        """With their waits."""
        return next(self.calls_with(waits, number) for number, waits in by_iteration(self.content, [number]))

    def calls_with(self, waits: _core.CallWaits | None, number: int) -> StepCalls:
        """waits: None: unknown."""
        lane = {process: lane for lane, process in enumerate(self.processes)}
        places = [(lane.get(index, -1), -1, process.rank) for index, process in enumerate(self.run.processes)]
        of = self.columns(number, self._groups, places, waits)
        same = ("kind", "kinds", "begin_s", "end_s", "gap_s", "polled", "completed_s", "sends", "receives", "unmatched")
        return StepCalls(
            number,
            lane=of["process"],
            completion=of["completion_row"],
            sent=of["bytes"],
            received=of["bytes_received"],
            waits=None if waits is None else _waits_of(of),
            **{name: of[name] for name in same},
        )


def _waits_of(columns: dict[str, Any]) -> dict[int, CallWait]:
    offsets, letters = columns["wait"]
    waited_s, process = columns["waited_s"], columns["waited_index"]
    return {
        row: CallWait(bytes(letters[offsets[row] : offsets[row + 1]]).decode(), waited_s[row], process[row])
        for row in range(len(process))
        if process[row] >= 0
    }


def groups_of(run: Run, sites: Sequence[Site]) -> list[int]:
    """By site of the profile, the index of the site that it is a member of; -1: of none."""
    groups = [-1] * len(run.profile.sites())
    for number, site in enumerate(sites):
        for member in site.members:
            groups[member] = number
    return groups


@dataclass(frozen=True)
class Absent:
    """Why there is no timeline. name: of the region or step.   calls: of a rank, in an iteration or kept."""

    reason: Literal["no-loop", "region", "step", "not-kept", "not-whole", "too-many", "damaged"]
    name: str = ""
    calls: float = 0.0


def absent(content: Content) -> Absent | None:
    """Why no timeline can be read; None if one may be."""
    iterations = content.iterations
    if iterations is None:
        return Absent("no-loop")
    if iterations.region is not None:
        return Absent("region", iterations.region.name)
    found = iterations.found
    if found.kept == "none":
        return Absent("step", content.run.step) if content.run.step else Absent("not-kept")
    if found.kept == "sampled" and not found.sampled:
        return Absent("not-whole", calls=found.calls)
    return None
