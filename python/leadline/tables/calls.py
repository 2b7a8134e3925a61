"""The figures of every rank at every call site."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.tables.column import Values
from leadline.tables.declaration import TableDeclaration, count, index, n_bytes, seconds, text
from leadline.tables.world_ranks import WHERE, world_ranks_of

if TYPE_CHECKING:
    from leadline.figures.content import Content

NOT_TIMED = "unknown: local calls are timed only in total"

TRAFFIC = (
    count("calls", "calls"),
    count("messages", "messages sent (MPI_PROC_NULL excluded; collectives not counted)"),
    n_bytes("bytes", "bytes sent, contributed, put or written; for receives, the posted size if no status was read"),
    n_bytes("bytes_received", "bytes from receives, collectives, gets and reads"),
    count("one_sided_operations", "puts, gets and accumulates (MPI_PROC_NULL targets excluded)"),
    n_bytes("bytes_put", "bytes put by one-sided operations; also in `bytes`"),
    n_bytes("bytes_got", "bytes got by one-sided operations; also in `bytes_received`"),
)

TABLE = TableDeclaration(
    "calls",
    "One row per call site and rank.",
    (
        index("site", "the call site's row in `sites()`, from 0"),
        *WHERE,
        text("function", "MPI function"),
        *TRAFFIC,
        seconds("time_s", "time in these calls"),
        seconds("min_s", "shortest call", NOT_TIMED),
        seconds("max_s", "longest call", NOT_TIMED),
    ),
    more="Includes local functions such as MPI_Comm_rank; libc's file calls are in `io()`. Rows are in the order of "
    "`sites()`, then of `ranks()`.",
)


def values(content: Content) -> Mapping[str, Values]:
    from leadline import _core

    groups = [list(entry.site.members) for entry in content.sites if entry.site is not None]
    return _core.call_columns(content.run.profile, groups, world_ranks_of(content.run))
