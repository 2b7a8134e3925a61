"""What a step is drawn from: a mark per call, or tiles, which sum up stretches of time, if the calls are many."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from leadline.figures.timeline.reading import StepCalls

MOST_MARKS = 100_000
"""Of all steps of a page together: a step that would exceed it is drawn from tiles."""
MANY_RANKS = 256
MOST_MARKS_OF_MANY = 50_000
"""Of a run with more ranks than that, whose other sections fill the page."""
LONGEST_KEPT = 2_000
"""Calls of a step with tiles that are listed nevertheless."""
TILES = 1_000
LEVELS = 31
UNITS_PER_STEP = 10_000_000


def unit_of(span_s: float) -> float:
    """A power of ten of seconds, of which a step has a million to ten million; at least a nanosecond."""
    if span_s <= 0:
        return 1e-9
    return float(f"1e{max(-9, math.ceil(math.log10(span_s / UNITS_PER_STEP)))}")


def marks(
    step: StepCalls, rows: Sequence[int], lanes: int, unit_s: float, kind_of: Callable[[int], int]
) -> dict[str, Any]:
    """Columns with a value for each of these rows, which ascend by lane and time. Times in units since the start.

    kind_of(row): its place in the list of call sites.
    """
    start_s = step.start_s
    counts = [0] * lanes
    for row in rows:
        counts[step.lane[row]] += 1
    begin = [round((step.begin_s[row] - start_s) / unit_s) for row in rows]
    return {
        "by_rank": counts,
        "site": [kind_of(row) for row in rows],
        "begin": begin,
        "duration": [
            max(0, round((step.end_s[row] - start_s) / unit_s) - at) for row, at in zip(rows, begin, strict=True)
        ],
        "bytes": [max(step.sent[row], step.received[row]) for row in rows],
    }


def messages(step: StepCalls, rows: Sequence[int], unit_s: float) -> dict[str, Any]:
    """The messages that begin and end within the step, and how many do not.

    send, receive: calls, as places in `rows`.   completion: the call that completes the receive, the same one if that
    blocks, -1 if it is not among these.   arrival: when it ended, in units since the step's start, -1 not known.
    bytes: -1 not known, as of a call that starts several messages.
    """
    at = {row: n for n, row in enumerate(rows)}
    several = Counter(send for send, _ in step.messages)
    found: dict[str, list[int]] = {"send": [], "receive": [], "completion": [], "arrival": [], "bytes": []}
    for send, receive in sorted(step.messages):
        if send not in at or receive not in at:
            continue
        arrival = step.completed_s[receive]
        by = receive if arrival == step.end_s[receive] else step.completion[receive]
        found["send"].append(at[send])
        found["receive"].append(at[receive])
        found["completion"].append(at.get(by, -1))
        found["arrival"].append(-1 if math.isnan(arrival) else round((arrival - step.start_s) / unit_s))
        found["bytes"].append(step.sent[send] if several[send] == 1 else -1)
    return {**found, "elsewhere": len(step.messages) - len(found["send"]) + step.unmatched}


def edges(step: StepCalls, lanes: int, unit_s: float) -> dict[str, list[int]]:
    """When each rank began and ended the step, in units since its start; -1 for a rank without calls in it."""
    from_, to = [-1] * lanes, [-1] * lanes
    for rows in step.rows_by_lane(lanes):
        if rows:
            lane = step.lane[rows[0]]
            from_[lane] = round((step.begin_s[rows[0]] - step.gap_s[rows[0]] - step.start_s) / unit_s)
            to[lane] = round((max(step.end_s[row] for row in rows) - step.start_s) / unit_s)
    return {"from": from_, "to": to}


def after_others(step: StepCalls, unit_s: float) -> list[int]:
    """Rows before which their rank made calls that are not among these.

    A rank that counts the iterations of another loop has only the calls that have to do with the others' iteration.
    """
    found = []
    for row in range(1, len(step)):
        if step.lane[row] == step.lane[row - 1]:
            unseen_s = step.begin_s[row] - step.gap_s[row] - step.end_s[row - 1]
            if unseen_s > 2 * unit_s:
                found.append(row)
    return found


def longest(step: StepCalls, most: int = LONGEST_KEPT) -> list[int]:
    """Rows of the longest calls, ascending."""
    return sorted(heapq.nlargest(most, range(len(step)), key=lambda row: step.end_s[row] - step.begin_s[row]))


def tiles(step: StepCalls, lanes: int, category_of: Callable[[int], str]) -> dict[str, Any]:
    """How much of each stretch of time each rank spent in calls of each category.

    share: by rank, stretch and category, in 31sts of the stretch, at least 1 if there was a call.
    """
    categories = list(dict.fromkeys(category_of(row) for row in range(len(step))))
    number = {category: n for n, category in enumerate(categories)}
    width_s = max(step.stop_s - step.start_s, 1e-9) / TILES
    shares = [0.0] * (lanes * TILES * len(categories))
    for row in range(len(step)):
        base = step.lane[row] * TILES * len(categories) + number[category_of(row)]
        for tile, part in parts(step.begin_s[row] - step.start_s, step.end_s[row] - step.start_s, width_s, TILES):
            shares[base + tile * len(categories)] += max(part, 1e-9)
    levels = [0 if share == 0 else min(LEVELS, max(1, round(share * LEVELS))) for share in shares]
    return {"tiles": TILES, "levels": LEVELS, "categories": categories, "share": levels}


def parts(begin_s: float, end_s: float, width_s: float, count: int) -> Iterator[tuple[int, float]]:
    """The stretches of such a width that something lies in, and how much of each it fills; one at least."""
    begin, end = round(begin_s / width_s, 6), round(end_s / width_s, 6)  # what meets a border does not cross it
    first = max(0, min(int(begin), count - 1))
    for at in range(first, max(first + 1, min(math.ceil(end), count))):
        yield at, max(0.0, min(end, at + 1) - max(begin, at))
