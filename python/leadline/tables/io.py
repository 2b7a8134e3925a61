"""The use that every rank made of every file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.tables.column import Values
from leadline.tables.declaration import TableDeclaration, count, n_bytes, number, seconds, text
from leadline.tables.world_ranks import WHERE, columns_of, world_ranks_of

if TYPE_CHECKING:
    from leadline.figures.content import Content

# Whose calls a row counts: its name in the table, and in FileOnRank.
LAYERS = {"program": "within", "outside": "outside", "mpi-io": "mpi", "beneath": "beneath"}
COUNTS = (
    count("opens", "open calls"),
    count("closes", "close calls"),
    count("reads", "read calls"),
    count("writes", "write calls"),
    count("others", "other calls (seek, sync, …)"),
    n_bytes("bytes_read", "bytes read, from return values"),
    n_bytes("bytes_written", "bytes written, from return values"),
    seconds("time_s", "time in these calls"),
    count("sequential", "sequential transfers: start where the previous one on this descriptor ended"),
    count("strided", "strided transfers: at the same distance as the previous one"),
    count("random", "other transfers (the first per descriptor is not counted)"),
)

TABLE = TableDeclaration(
    "io",
    "One row per file, rank and software layer.",
    (
        text("file", "absolute path; (other files): beyond the table's capacity"),
        *WHERE,
        text("layer", "layer: program, outside, mpi-io or beneath"),
        *COUNTS,
        n_bytes("size_bytes", "largest file size seen by any rank", "unknown"),
        number("fraction_read", "distinct bytes read by the rank in any layer / file size", "unknown"),
    ),
    more="Layers: `program` is the program's libc calls; `outside` the same before MPI_Init, after MPI_Finalize or in "
    "threads without MPI; `mpi-io` is MPI_File_*; `beneath` is the libc calls of the MPI library for MPI_File_*. Do "
    "not "
    "add `beneath` to the others. Files with most time come first. The table is empty if no file was used; what counts "
    "as one is in [the report](report.md#file-io).",
)


def values(content: Content) -> Mapping[str, Values]:
    from leadline.figures.files import OTHER_FILES

    world_ranks = world_ranks_of(content.run)
    rows = [
        (file, rank, layer, counts)
        for file in content.files.files
        for rank in file.ranks
        for layer, counts in ((layer, getattr(rank, name)) for layer, name in LAYERS.items())
        if counts.calls
    ]
    return {
        "file": [file.file or OTHER_FILES for file, *_ in rows],
        **columns_of([world_ranks[rank.process] for _, rank, *_ in rows]),
        "layer": [layer for _, _, layer, _ in rows],
        **{column.name: [getattr(counts, column.name) for *_, counts in rows] for column in COUNTS},
        "size_bytes": [file.size_bytes for file, *_ in rows],
        "fraction_read": [rank.fraction_read for _, rank, *_ in rows],
    }
