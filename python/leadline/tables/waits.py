"""The wait states of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.tables.column import Values
from leadline.tables.declaration import TableDeclaration, number, seconds, text
from leadline.tables.world_ranks import columns_of, where, world_ranks_of

if TYPE_CHECKING:
    from leadline.figures.content import Content
    from leadline.figures.run import Site

NO_CAUSE = "unknown"

TABLE = TableDeclaration(
    "waits",
    "One row per kind of wait, call site and rank, longest first.",
    (
        text(
            "kind",
            "late_sender, late_receiver, wait_at_barrier, wait_at_n_to_n, early_reduce, late_broadcast, wait_at_fence, "
            "late_post or late_complete",
        ),
        *where("", "the waiting rank"),
        text("function", "waiting MPI function"),
        text("routine", "calling routine"),
        seconds("wait_s", "waiting time in the whole run"),
        seconds("error_s", "half the width of the 95 % CI; 0 if exact"),
        text("cause", "main cause, what the late rank was doing: computation, io, mpi or unknown", NO_CAUSE),
        text("cause_rank", "late rank", NO_CAUSE),
        text("cause_function", "call of the late rank: the one it was in, or the next after its computation", NO_CAUSE),
        number("cause_share", "share of the wait", NO_CAUSE),
    ),
    more="Empty if waiting is unknown; the report says why.",
)


def values(content: Content) -> Mapping[str, Values]:
    entries = content.waits.entries
    world_ranks = world_ranks_of(content.run)
    first = [entry.causes[0] if entry.causes else None for entry in entries]
    return {
        "kind": [entry.kind for entry in entries],
        **columns_of([world_ranks[entry.process] for entry in entries]),
        "function": [_function(entry.site) or "?" for entry in entries],
        "routine": [entry.site.routine if entry.site else "?" for entry in entries],
        "wait_s": [entry.seconds for entry in entries],
        "error_s": [entry.error_s for entry in entries],
        "cause": [cause.doing if cause else None for cause in first],
        "cause_rank": [cause.rank if cause else None for cause in first],
        "cause_function": [_function(cause.site) if cause else None for cause in first],
        "cause_share": [cause.share if cause else None for cause in first],
    }


def _function(site: Site | None) -> str | None:
    return site.function if site is not None else None
