"""The wait states of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.tables.column import Values
from leadline.tables.declaration import TableDeclaration, number, seconds, text
from leadline.tables.places import columns_of, places_of, where

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
        *where("", "the rank that waited"),
        text("function", "the MPI function that waited"),
        text("routine", "the routine that called it"),
        seconds("wait_s", "in the whole run"),
        seconds("error_s", "half the width of its 95 % interval; 0 if exact"),
        text("cause", "what another rank did meanwhile: computation, io, mpi or unknown; the largest part", NO_CAUSE),
        text("cause_rank", "the rank that did it", NO_CAUSE),
        text("cause_function", "the call that it computed before, or was in", NO_CAUSE),
        number("cause_share", "of the wait", NO_CAUSE),
    ),
    more="Empty if no times of calls were kept.",
)


def values(content: Content) -> Mapping[str, Values]:
    entries = content.waits.entries
    places = places_of(content.run)
    first = [entry.causes[0] if entry.causes else None for entry in entries]
    return {
        "kind": [entry.kind for entry in entries],
        **columns_of([places[entry.process] for entry in entries]),
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
