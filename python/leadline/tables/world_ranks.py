"""Where a process stands in every table: its row in the table of ranks, its world and its rank there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from leadline.tables.declaration import ColumnDeclaration, index

if TYPE_CHECKING:
    from leadline.figures.run import Run

OF_NO_WORLD = "unknown"
WHERE = (
    index("process", "the rank's row in `ranks()`, from 0"),
    index("world", "number of its MPI_COMM_WORLD (0 unless spawned)", OF_NO_WORLD),
    index("rank", "its rank in that MPI_COMM_WORLD", OF_NO_WORLD),
)


class WorldRank(NamedTuple):
    """world, rank: -1 if the process's world is unknown."""

    process: int
    world: int
    rank: int


def world_ranks_of(run: Run) -> list[WorldRank]:
    """In the order of run.processes."""
    ranks = {
        process: (number, rank) for number, world in enumerate(run.worlds) for rank, process in world.processes.items()
    }
    row = {process: row for row, process in enumerate(run.order)}
    return [WorldRank(row[process], *ranks.get(process, (-1, -1))) for process in range(len(run.processes))]


def columns_of(world_ranks: Sequence[WorldRank | None], prefix: str = "") -> dict[str, list[int | None]]:
    """The columns `WHERE` of a table whose rows belong to these ranks; None: to no process."""
    return {
        f"{prefix}{name}": [None if of is None or of[at] < 0 else of[at] for of in world_ranks]
        for at, name in enumerate(WorldRank._fields)
    }


def where(prefix: str, whose: str, nobody: str = "") -> tuple[ColumnDeclaration, ...]:
    """`WHERE` of a rank that is not each row's own.   nobody: what it means if there is none; "" if there always is."""
    row, world, rank = (f"{prefix}{each.name}" for each in WHERE)
    unknown = f"{nobody}, or unknown" if nobody else OF_NO_WORLD
    return (
        index(row, f"row in `ranks()` of {whose}", nobody),
        index(world, "number of its MPI_COMM_WORLD", unknown),
        index(rank, "its rank in that MPI_COMM_WORLD", unknown),
    )
