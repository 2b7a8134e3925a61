"""The data that are missing from the recording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.tables.column import Values
from leadline.tables.declaration import TableDeclaration, count, text
from leadline.tables.world_ranks import columns_of, where, world_ranks_of

if TYPE_CHECKING:
    from leadline.figures.content import Content

TABLE = TableDeclaration(
    "losses",
    "One row per kind of missing data, per rank or for the whole run.",
    (
        text("code", "kind (stable identifier)"),
        count("amount", "amount; its unit is in the message"),
        text("message", "what is missing, where and why"),
        *where("", "the rank whose data is missing", "the whole run"),
    ),
    more="Empty if nothing is missing.",
)


def values(content: Content) -> Mapping[str, Values]:
    run = content.run
    world_ranks = world_ranks_of(run)
    of_label = {label: world_ranks[process] for process, label in reversed([*enumerate(run.labels)])}
    losses = content.losses
    return {
        "code": [loss.code for loss in losses],
        "amount": [loss.amount for loss in losses],
        "message": [loss.message for loss in losses],
        **columns_of([None if loss.rank is None else of_label.get(loss.rank) for loss in losses]),
    }
