"""What a step is drawn from: a mark per call, or tiles, which sum up stretches of time, if the calls are many."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from leadline.figures.timeline.reading import StepCalls

MOST_MARKS = 100_000
"""For all steps of a page together: a step that would exceed it is drawn as tiles."""
MANY_RANKS = 256
MOST_MARKS_OF_MANY = 50_000
"""The same for runs with more ranks than that, whose other sections fill the page."""
LONGEST_KEPT = 2_000
"""Calls that are still listed for a step drawn as tiles."""
TILES = 1_000
LEVELS = 31
UNITS_PER_STEP = 10_000_000


def unit_of(span_s: float) -> float:
    """A power of ten of seconds, of which a step has a million to ten million; at least a nanosecond."""
    if span_s <= 0:
        return 1e-9
    return float(f"1e{max(-9, math.ceil(math.log10(span_s / UNITS_PER_STEP)))}")


def marks(step: StepCalls, rows: Sequence[int] | None, lanes: int, unit_s: float, sites: list[int]) -> dict[str, Any]:
    """Columns with a value for each of these rows, which ascend by lane and time; None: all. Times in units since the
    start.

    sites: by kind of call, its place in the list of call sites.
    """
    found = step.rows.marks(None if rows is None else list(rows), lanes, unit_s)
    kinds = step.kind if rows is None else [step.kind[row] for row in rows]
    return {"by_rank": found.pop("by_rank"), "site": [sites[kind] for kind in kinds], **found}


def messages(step: StepCalls, unit_s: float) -> dict[str, Any]:
    """The messages that begin and end within the step, and how many do not.

    send, receive: rows.   completion: the call that completes the receive, the same one if that blocks, -1 if it is not
    among these.   arrival: when it ended, in units since the step's start, -1 unknown.
    bytes: -1 unknown, as of a call that starts several messages.
    """
    found = step.rows.messages(unit_s)
    return {**found, "elsewhere": len(step.sends) - len(found["send"]) + step.unmatched}


def edges(step: StepCalls, lanes: int, unit_s: float) -> dict[str, list[int]]:
    """When each rank began and ended the step, in units since its start; -1 for a rank without calls in it."""
    return step.rows.edges(lanes, unit_s)


def after_others(step: StepCalls, unit_s: float) -> list[int]:
    """Rows before which their rank made calls that are not among these.

    A rank that counts the iterations of another loop has only the calls that match the others' iteration.
    """
    return step.rows.after_others(unit_s)


def longest(step: StepCalls, most: int = LONGEST_KEPT) -> list[int]:
    """Rows of the longest calls, ascending."""
    return sorted(heapq.nlargest(most, range(len(step)), key=lambda row: step.end_s[row] - step.begin_s[row]))


def tiles(step: StepCalls, lanes: int, category_of: Callable[[int], str]) -> dict[str, Any]:
    """The share of each stretch of time that each rank spent in calls of each category.

    category_of: the category of a kind of call.
    share: by rank, stretch and category, in 31sts of the stretch, at least 1 if there was a call.
    waiting: by rank and stretch, in the same parts, what calls waited in it; None: unknown.
    """
    of_kind = [category_of(kind) for kind in range(len(step.kinds))]
    categories = list(dict.fromkeys(of_kind))
    number = [categories.index(category) for category in of_kind]
    width_s = max(step.stop_s - step.start_s, 1e-9) / TILES
    shares = [0.0] * (lanes * TILES * len(categories))
    waiting = [0.0] * (lanes * TILES)
    for row in range(len(step)):
        base = step.lane[row] * TILES * len(categories) + number[step.kind[row]]
        for tile, part in parts(step.begin_s[row] - step.start_s, step.end_s[row] - step.start_s, width_s, TILES):
            shares[base + tile * len(categories)] += max(part, 1e-9)
    for row, wait in (step.waits or {}).items():
        begin_s = step.begin_s[row] - step.start_s
        for tile, part in parts(begin_s, begin_s + wait.seconds, width_s, TILES):
            waiting[step.lane[row] * TILES + tile] += part
    levels = [0 if share == 0 else min(LEVELS, max(1, round(share * LEVELS))) for share in shares]
    return {
        "tiles": TILES,
        "levels": LEVELS,
        "categories": categories,
        "share": levels,
        "waiting": None if step.waits is None else [min(LEVELS, round(part * LEVELS)) for part in waiting],
    }


def parts(begin_s: float, end_s: float, width_s: float, count: int) -> Iterator[tuple[int, float]]:
    """The stretches of such a width that something lies in, and how much of each it fills; one at least."""
    begin, end = round(begin_s / width_s, 6), round(end_s / width_s, 6)  # what ends at a border does not cross it
    first = max(0, min(int(begin), count - 1))
    for at in range(first, max(first + 1, min(math.ceil(end), count))):
        yield at, max(0.0, min(end, at + 1) - max(begin, at))
