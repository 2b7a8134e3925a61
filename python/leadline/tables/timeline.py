"""The calls of one iteration, rank by rank."""

from __future__ import annotations

import array
import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from leadline.errors import UsageError
from leadline.tables.column import Values
from leadline.tables.declaration import (
    ColumnDeclaration,
    Kind,
    TableDeclaration,
    count,
    flag,
    index,
    n_bytes,
    seconds,
    text,
)
from leadline.tables.world_ranks import WHERE, world_ranks_of

if TYPE_CHECKING:
    from leadline.figures.content import Content

Which = int | Literal["typical", "slowest", "all"]
NO_MESSAGE = "no message in this call"


def _row(name: str, meaning: str) -> ColumnDeclaration:
    return ColumnDeclaration(name, Kind.INTEGER, f"row of this table: {meaning}", null="none in this iteration")


TABLE = TableDeclaration(
    "timeline",
    "One row per call of an iteration of the main loop.",
    (
        *WHERE,
        count("iteration", "the iteration, from 0"),
        index("site", "the call site's row in `sites()`, from 0", "a file call of libc, or unknown"),
        text("function", "MPI function, or libc's"),
        text("role", "direction: `send`, `receive`, `both`, `collective`, `other`"),
        seconds("begin_s", "start time, from the first rank's start"),
        seconds("end_s", "end time"),
        seconds("gap_s", "gap since the rank's previous call: computation, unless `polled`"),
        flag("polled", "whether failed polls occurred in the gap"),
        seconds("waited_s", "time from the start in which the call waited for another rank", "unknown"),
        text("wait", "kind of wait, as in `waits()`; `none`, `unknown`"),
        index("waited_process", "row in `ranks()` of the rank waited for", "did not wait, or unknown"),
        index(
            "partner_process",
            "the partner's row in `ranks()`",
            f"{NO_MESSAGE}, or partner unknown",
        ),
        index("partner_rank", "the partner's rank in its MPI_COMM_WORLD", f"{NO_MESSAGE}, or unknown"),
        _row(
            "partner_row",
            "matching call at the partner; for collectives, the next rank's call; if `role` is `both`, the receive "
            "that matches its send",
        ),
        _row("source_row", "matching send"),
        _row("completion_row", "call that completes its requests, if it is a single one"),
        seconds(
            "completed_s",
            "end of the completing call (in any iteration), or of the call itself if it is blocking",
            "unknown",
        ),
        n_bytes("bytes", "bytes leaving the rank: sent (as posted), contributed, put or written", "unknown"),
        n_bytes(
            "bytes_received",
            "bytes reaching the rank; for nonblocking receives, counted at completion",
            "unknown",
        ),
    ),
    more='`timeline("all")` has every iteration whose call times were kept. Rows are in the order of iterations, of '
    "`ranks()`, then of time. They are of the thread that runs the main loop. `leadline.open(path, step=...)` chooses "
    "another loop. Empty if no iteration was kept completely; `leadline report` says why.",
)


def values(content: Content, which: Which) -> Mapping[str, Values]:
    """which: of the iterations whose calls' times all ranks kept, a number, "typical" (near the median), "slowest" or
    "all".

    Empty if no iteration was kept; raises UsageError if that of a number was not.
    """
    from leadline.figures.timeline import StepTimeline, absent
    from leadline.figures.timeline.lanes import shown_lanes
    from leadline.figures.timeline.reading import groups_of
    from leadline.figures.timeline.waiting import by_iteration
    from leadline.wording.timelines import kept_iteration, why_none

    why = absent(content)
    if (
        why is None and which in ("typical", "slowest") and (lanes := shown_lanes(content)).representatives
    ):  # as page and terminal choose
        some = StepTimeline(content, lanes.processes)
        which = kept_iteration(some, which).number if some.times else which
    timeline = StepTimeline(content, content.run.order) if why is None else None
    if timeline is None or (not timeline.times and not isinstance(which, int)):
        if isinstance(which, int):
            raise UsageError(f"no timeline: {why_none(content.run, why) if why is not None else None}")
        return {each.name: [] for each in TABLE.columns}
    sites = [entry.site for entry in content.sites if entry.site is not None]
    groups, world_ranks = groups_of(content.run, sites), world_ranks_of(content.run)
    times = timeline.times if which == "all" else [kept_iteration(timeline, which)]
    numbers = [time.number for time in times]
    waits = by_iteration(content, numbers)
    parts = [timeline.columns(number, groups, world_ranks, of_calls) for number, of_calls in waits]
    columns = parts[0] if len(parts) == 1 else {each.name: _joined(parts, each.name) for each in TABLE.columns}
    columns["polled"] = columns["polled"].cast("?")
    return {each.name: columns[each.name] for each in TABLE.columns}


def _joined(parts: list[dict[str, Any]], name: str) -> Any:
    """A column of several iterations, one after the other; numbers of rows count on."""
    columns = [part[name] for part in parts]
    if isinstance(columns[0], tuple):
        return _joined_texts(columns)
    if name.endswith("_row"):
        starts = itertools.accumulate((len(column) for column in columns), initial=0)
        rows = (
            (row + start if row >= 0 else row for row in column) for column, start in zip(columns, starts, strict=False)
        )
        return memoryview(array.array("q", itertools.chain.from_iterable(rows)))
    return memoryview(b"".join(column.cast("B") for column in columns)).cast(columns[0].format)


def _joined_texts(columns: list[tuple[memoryview[Any], memoryview[Any]]]) -> tuple[memoryview[Any], memoryview[Any]]:
    data = b"".join(texts for _, texts in columns)
    offsets = array.array("q", [0])
    for ends, _ in columns:
        before = offsets[-1] - ends[0]
        offsets.extend(end + before for end in ends[1:])
    return memoryview(offsets), memoryview(data)
