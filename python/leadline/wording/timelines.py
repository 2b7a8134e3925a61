"""Which ranks and iterations a timeline shows, and why there is none."""

from __future__ import annotations

import math
from collections.abc import Collection

from leadline import _core
from leadline.errors import UsageError
from leadline.figures.run import Run
from leadline.figures.timeline import Absent, Step, StepTimeline
from leadline.figures.timeline.lanes import Lanes
from leadline.figures.timeline.reading import IterationTime, StepCalls
from leadline.figures.timeline.steps import CHOSEN, FILES, OTHER, OUTPUT, SLOWEST, TYPICAL, find
from leadline.text import format as fmt
from leadline.wording.loops import why_no_main_loop

ROLES = {
    "first": "first rank",
    "most": "most computation",
    "least": "least computation",
    "median": "median computation",
}


STEPS = {
    TYPICAL: "typical",
    SLOWEST: "slowest",
    OUTPUT: "with file output",
    FILES: "with file I/O",
    OTHER: "with rare calls",
    CHOSEN: "chosen",
}


def title_of(step: Step) -> str:
    """ "typical and slowest"."""
    return " and ".join(STEPS[kind] for kind in step.kinds)


def kept_iteration(timeline: StepTimeline, which: int | str) -> IterationTime:
    """The kept iteration of that number, "typical" or "slowest". Raises UsageError if there is none."""
    if (found := find(timeline, which)) is not None:
        return found
    raise UsageError(
        f"the call times of iteration {which} were not kept on all ranks",
        hint=f"available: {fmt.ranges([time.number for time in timeline.times])}"
        if timeline.times
        else "keep more: --series SIZE",
    )


def waiting_share(step: StepCalls, lanes: Collection[int]) -> str:
    """Of the time of the ranks on these lanes in the step. Begins a sentence; "" if nothing waited."""
    if step.waits is None:
        return "Waiting is unknown."
    time_s = sum(
        max(step.end_s[row] for row in rows) - min(step.begin_s[row] - step.gap_s[row] for row in rows)
        for lane, rows in enumerate(step.rows_by_lane(max(step.lane, default=-1) + 1))
        if lane in lanes and len(rows)
    )
    waited_s = sum(wait.seconds for row, wait in step.waits.items() if step.lane[row] in lanes)
    return f"Waiting for other ranks: {fmt.percent(waited_s / time_s)} of their time." if time_s > 0 else ""


def shown_ranks(run: Run, lanes: Lanes) -> str:
    """ "48 of 64 ranks: 0 (first rank), ..."; "" if all are shown."""
    if not lanes.representatives:
        return ""
    names = ", ".join(f"{run.label(index)} ({ROLES[role]})" for role, index in lanes.representatives)
    text = f"{len(lanes.processes)} of {fmt.plural(len(run.order), 'rank')}: {names}"
    text += f"; {lanes.partners} main partners" if lanes.partners else ""
    return text + (f"; {lanes.spread} evenly spaced" if lanes.spread else "")


def why_none(run: Run, absent: Absent) -> str:
    """Words that complete a sentence."""
    if absent.reason == "no-loop":
        return why_no_main_loop(run)
    if absent.reason == "region":
        return f"the main loop is the region {absent.name}, whose call times are not kept by iteration"
    if absent.reason == "step":
        return f"{absent.name} has no times per iteration (omit --step)"
    if absent.reason == "not-kept":
        return "call times were not kept (--series)"
    if absent.reason == "too-many":
        kept = f"{absent.calls:,.0f} calls on one rank"
        return f"too many call times for a report ({kept}): keep fewer with --series SIZE"
    return absent.name if absent.reason == "damaged" else no_whole_iteration(run)


def no_whole_iteration(run: Run) -> str:
    """No iteration is kept whole. Room for all calls would do: a call takes five quarters of a byte."""
    text = f"no iteration has all call times on all ranks{_file_calls_of(run)}"
    return f"{text}: record with {series_for_all_calls(run)}"


def series_for_all_calls(run: Run) -> str:
    """The option that makes room for the times of all calls."""
    enough = math.ceil(1.1 * max((_all_calls(process) for process in run.processes), default=0) * 5 / 4 / 1e6)
    return f"--series {enough}MB"


def _file_calls_of(run: Run) -> str:
    """ " (4,812,000 of the 5,951,608 calls of rank 0 are on files)": they take room for times, too. "" if few are."""
    index = max(run.order, key=lambda each: _all_calls(run.processes[each]), default=None)
    if index is None:
        return ""
    process = run.processes[index]
    files, calls = process.file_calls.calls, _all_calls(process)
    if 2 * files < calls:
        return ""
    return f" ({files:,} of the {calls:,} calls of rank {run.label(index)} are on files)"


def _all_calls(process: _core.ProcessSummary) -> int:
    """MPI calls and file calls: the times of either take room."""
    return sum(process.category_calls) + process.file_calls.calls
