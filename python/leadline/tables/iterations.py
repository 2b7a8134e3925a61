"""The time of each iteration of the main loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.tables.column import Values
from leadline.tables.declaration import TableDeclaration, count, seconds
from leadline.tables.world_ranks import columns_of, where, world_ranks_of

if TYPE_CHECKING:
    from leadline.figures.content import Content

TABLE = TableDeclaration(
    "iterations",
    "One row per iteration of the main loop, or per block of iterations if there are more than 512.",
    (
        count("first", "first iteration of the row, counted from 0"),
        count("last", "last iteration of the row"),
        seconds("mean_s", "mean over iterations and ranks"),
        seconds("min_s", "shortest iteration on any rank"),
        seconds("max_s", "longest iteration on any rank"),
        *where("max_", "the rank of the longest iteration"),
        count("max_iteration", "number of the longest iteration"),
    ),
    more="Empty if the program has no main loop, or if no times were kept of it; `leadline report` says why. "
    'leadline.open(path, step="ROUTINE:LINE") chooses another loop, as `leadline report --step` does.',
)


def values(content: Content) -> Mapping[str, Values]:
    world_ranks = world_ranks_of(content.run)
    strip = content.iterations.found.strip if content.iterations is not None and not content.iterations.region else []
    return {
        "first": [row.first for row in strip],
        "last": [row.last for row in strip],
        "mean_s": [row.mean_ns * 1e-9 for row in strip],
        "min_s": [row.min_ns * 1e-9 for row in strip],
        "max_s": [row.max_ns * 1e-9 for row in strip],
        **columns_of([world_ranks[row.max_process] for row in strip], "max_"),
        "max_iteration": [row.max_iteration for row in strip],
    }
