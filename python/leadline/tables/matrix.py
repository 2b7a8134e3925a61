"""Messages and one-sided operations between each pair of ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.tables.column import Values
from leadline.tables.declaration import TableDeclaration, count, index, n_bytes
from leadline.tables.world_ranks import OF_NO_WORLD, WHERE, world_ranks_of

if TYPE_CHECKING:
    from leadline.figures.content import Content

TABLE = TableDeclaration(
    "matrix",
    "One row per pair of ranks that exchanged messages or one-sided operations.",
    (
        index("process", "the source's row in `ranks()`, counted from 0"),
        WHERE[1],
        index("source", "source or origin rank in its MPI_COMM_WORLD", OF_NO_WORLD),
        index("target", "destination or target rank in the same MPI_COMM_WORLD", "unknown"),
        count("messages", "messages from source to target"),
        n_bytes("bytes", "bytes of these messages"),
        count("one_sided_operations", "puts, gets and accumulates from source to target"),
        n_bytes("bytes_put", "bytes of these operations, source to target"),
        n_bytes("bytes_got", "bytes of these operations, target to source"),
    ),
    more="Ranks are those of MPI_COMM_WORLD, whatever the communicator. Collectives are not included.",
)


def values(content: Content) -> Mapping[str, Values]:
    from leadline import _core

    return _core.matrix_columns(content.run.profile, world_ranks_of(content.run))
