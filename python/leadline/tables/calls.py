"""The figures of every rank at every call site."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.tables.column import Values
from leadline.tables.declaration import TableDeclaration, count, index, n_bytes, seconds, text
from leadline.tables.places import WHERE, places_of

if TYPE_CHECKING:
    from leadline.figures.content import Content

NOT_TIMED = "unknown: calls to purely local functions are timed in total"

TRAFFIC = (
    count("calls", "calls"),
    count("messages", "sends that were started to a real partner; collectives have none"),
    n_bytes("bytes", "sent, as posted; received, as posted where no status told; contributed; put; written"),
    n_bytes("bytes_received", "of receives, collectives, gets and reads"),
    count("one_sided_operations", "puts, gets and accumulates at a real target"),
    n_bytes("bytes_put", "by one-sided operations; also in `bytes`"),
    n_bytes("bytes_got", "by one-sided operations; also in `bytes_received`"),
)

TABLE = TableDeclaration(
    "calls",
    "One row per call site and rank that called MPI there.",
    (
        index("site", "the call site's row in `sites()`, counted from 0"),
        *WHERE,
        text("function", "MPI function"),
        *TRAFFIC,
        seconds("time_s", "time in these calls"),
        seconds("min_s", "shortest call", NOT_TIMED),
        seconds("max_s", "longest call", NOT_TIMED),
    ),
    more="Purely local functions such as MPI_Comm_rank are among them; calls of libc on files are not: see `io()`. "
    "Rows are in the order of `sites()`, then of `ranks()`.",
)


def values(content: Content) -> Mapping[str, Values]:
    from leadline import _core

    groups = [list(entry.site.members) for entry in content.sites if entry.site is not None]
    return _core.call_columns(content.run.profile, groups, places_of(content.run))
