"""The timeline as data, in the form that docs/read/report.md describes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from leadline import _core
from leadline.errors import DamagedTrace
from leadline.figures.content import Content
from leadline.figures.json_entries import rank_id
from leadline.figures.paths import chain
from leadline.figures.run import Run, Site
from leadline.figures.timeline import marks
from leadline.figures.timeline.lanes import Lanes, calls_to_read
from leadline.figures.timeline.reading import Absent, IterationTime, StepCalls, StepTimeline, absent
from leadline.figures.timeline.steps import Step, median_s, representative_steps
from leadline.figures.timeline.waiting import waits_in

FILES = "files"
"""The category of libc's file calls, which have no MPI category."""


def timeline_figures(
    content: Content, lanes: Lanes, kept: Callable[[StepTimeline, int], IterationTime]
) -> dict[str, Any] | Absent:
    """The timeline of these ranks, or why there is none.

    kept: the kept iteration of a number; raises what the user is told if it was not.
    """
    if (why := absent(content)) is not None:
        return why
    if not lanes.processes:
        return Absent("too-many", calls=calls_to_read(content))
    _core.give_back_freed_memory()  # the timeline takes more at once than what came before
    try:
        timeline = StepTimeline(content, lanes.processes)
    except DamagedTrace as error:
        return Absent("damaged", str(error))
    chosen = kept(timeline, content.iteration) if content.iteration is not None and timeline.times else None
    steps = representative_steps(timeline, chosen)
    if not steps:
        return Absent("not-whole", calls=timeline.found.calls)
    numbers = sorted({step.number for step in steps})
    waits = waits_in(content, numbers)
    paths = dict(zip(numbers, waits.paths, strict=True)) if waits is not None else {}
    of_calls = waits.calls if waits is not None else None
    median, calls = median_s(timeline), [timeline.calls_with(of_calls, step.number) for step in steps]
    timeline.forget_traces()
    drawing = Drawing(timeline)
    found = [drawing.step(step, own, paths.get(step.number, [])) for step, own in zip(steps, calls, strict=True)]
    return {
        "ranks": [rank_id(content.run.label(process)) for process in lanes.processes],
        "median_s": median,
        "sites": drawing.sites,
        "steps": found,
    }


class Shown(Protocol):
    """What steps are of: the ranks that are shown, and the call sites."""

    @property
    def run(self) -> Run: ...
    @property
    def processes(self) -> tuple[int, ...]: ...
    @property
    def sites(self) -> list[Site]: ...


class Drawing:
    """Steps one after the other; `sites` are the call sites that occur in them."""

    def __init__(self, timeline: Shown) -> None:
        self.timeline = timeline
        self.sites: list[dict[str, Any]] = []
        self._numbers: dict[tuple[int, str], int] = {}
        many = len(timeline.run.processes) > marks.MANY_RANKS
        self._left = marks.MOST_MARKS_OF_MANY if many else marks.MOST_MARKS
        self._classes = {function.name: function.cls for function in timeline.run.profile.functions}

    def step(self, step: Step, calls: StepCalls, path: list[_core.PathStretch]) -> dict[str, Any]:
        timeline = self.timeline
        lanes = len(timeline.processes)
        unit_s = marks.unit_of(calls.stop_s - calls.start_s)
        whole = len(calls) <= self._left
        rows = None if whole else marks.longest(calls)
        self._left -= len(calls) if rows is None else len(rows)
        sites = self._sites(calls, rows)
        return {
            "iteration": step.number,
            "kinds": list(step.kinds),
            "mean_s": step.time.mean_s,
            "longest_s": step.time.longest_s,
            "longest_rank": rank_id(timeline.run.label(step.time.process)),
            "start_s": calls.start_s,
            "unit_s": unit_s,
            "calls": len(calls),
            "lanes": marks.edges(calls, lanes, unit_s),
            "marks": marks.marks(calls, rows, lanes, unit_s, sites),
            "waits": self._waits(calls, range(len(calls)) if rows is None else rows, unit_s),
            "polled": [n for n, row in enumerate(range(len(calls)) if rows is None else rows) if calls.polled[row]],
            "after_others": marks.after_others(calls, unit_s) if whole else [],
            "messages": marks.messages(calls, unit_s) if whole else None,
            "critical_path": self._path(path, calls.start_s, unit_s),
            "tiles": None
            if whole
            else marks.tiles(calls, lanes, lambda kind: str(self.sites[sites[kind]]["category"])),
        }

    def _waits(self, calls: StepCalls, rows: Sequence[int], unit_s: float) -> dict[str, list[Any]] | None:
        """The marks that waited, for how long from their begin on, for which rank and why."""
        if calls.waits is None:
            return None
        found = [(mark, calls.waits[row]) for mark, row in enumerate(rows) if row in calls.waits]
        label = self.timeline.run.label
        return {
            "mark": [mark for mark, _ in found],
            "waited": [round(wait.seconds / unit_s) for _, wait in found],
            "kind": [wait.kind for _, wait in found],
            "rank": [rank_id(label(wait.process)) if wait.process >= 0 else None for _, wait in found],
        }

    def _path(self, path: list[_core.PathStretch], start_s: float, unit_s: float) -> dict[str, list[Any]] | None:
        """Stretches on one rank that follow one another are one."""
        lanes = {process: lane for lane, process in enumerate(self.timeline.processes)}
        found: list[list[int]] = []
        for stretch in path:
            lane = lanes.get(stretch.process)
            if lane is None:
                continue
            begin = max(0, round((stretch.begin_ns * 1e-9 - start_s) / unit_s))
            end = round((stretch.end_ns * 1e-9 - start_s) / unit_s)
            if found and found[-1][0] == lane:
                found[-1][2] = max(end - found[-1][1], 0)
            elif end > begin:
                found.append([lane, begin, end - begin])
        if not found:
            return None
        ranks = [rank_id(self.timeline.run.label(self.timeline.processes[lane])) for lane, _, _ in found]
        return {"rank": ranks, "begin": [each[1] for each in found], "duration": [each[2] for each in found]}

    def _sites(self, calls: StepCalls, rows: Sequence[int] | None) -> list[int]:
        """By kind of call, its place in `sites`; those of these rows come first (None: all)."""
        kinds = list(range(len(calls.kinds)))
        if rows is not None:
            kinds = list(dict.fromkeys([*(calls.kind[row] for row in rows), *kinds]))
        places = [0] * len(kinds)
        for kind in kinds:
            key = calls.kinds[kind]
            known = self._numbers.get(key)
            if known is None:
                known = self._numbers[key] = len(self.sites)
                self.sites.append(self._site(*key))
            places[kind] = known
        return places

    def _site(self, number: int, function: str) -> dict[str, Any]:
        site = self.timeline.sites[number] if number >= 0 else None
        return {"function": function, "category": self.category(function), **_place(site)}

    def category(self, function: str) -> str:
        cls = self._classes.get(function)
        if cls is None:
            return "setup"
        facts = _core.CALL_CLASSES[cls]
        return FILES if facts.event == "libc" else facts.category


def _place(site: Site | None) -> dict[str, Any]:
    where = site.location if site is not None else None
    known = where is not None and bool(where.file)
    return {
        "routine": site.routine if site is not None and site.path else None,
        "file": where.file if where is not None and known else None,
        "line": where.line if where is not None and known else None,
        "path": chain(site.path) if site is not None and site.path else None,
    }
