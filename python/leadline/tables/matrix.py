"""Messages and one-sided operations between each pair of ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.tables.column import Values
from leadline.tables.declaration import TableDeclaration, count, index, n_bytes
from leadline.tables.places import OF_NO_WORLD, WHERE, places_of

if TYPE_CHECKING:
    from leadline.figures.content import Content

TABLE = TableDeclaration(
    "matrix",
    "One row per pair of ranks of which one sent to the other, or called one-sided operations at it.",
    (
        index("process", "the source's row in `ranks()`, counted from 0"),
        WHERE[1],
        index("source", "rank that sends, or that calls the operation, in its MPI_COMM_WORLD", OF_NO_WORLD),
        index("target", "rank that receives, or that is operated on, in the same MPI_COMM_WORLD", "unknown"),
        count("messages", "messages from source to target"),
        n_bytes("bytes", "of these messages"),
        count("one_sided_operations", "puts, gets and accumulates of source at target"),
        n_bytes("bytes_put", "by these operations, from source to target"),
        n_bytes("bytes_got", "by these operations, from target to source"),
    ),
    more="Ranks are those of MPI_COMM_WORLD, whatever the communicator. Collectives are not in it.",
)


def values(content: Content) -> Mapping[str, Values]:
    from leadline import _core

    return _core.matrix_columns(content.run.profile, places_of(content.run))
