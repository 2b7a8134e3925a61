"""The use that every rank made of every file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.tables.column import Values
from leadline.tables.declaration import TableDeclaration, count, n_bytes, number, seconds, text
from leadline.tables.places import WHERE, columns_of, places_of

if TYPE_CHECKING:
    from leadline.figures.content import Content

# Whose calls a row counts: its name in the table, and in FileOnRank.
LAYERS = {"program": "within", "outside": "outside", "mpi-io": "mpi", "beneath": "beneath"}
COUNTS = (
    count("opens", "calls that open it"),
    count("closes", "calls that close it"),
    count("reads", "calls that read"),
    count("writes", "calls that write"),
    count("others", "other calls: seeks, syncs and the like"),
    n_bytes("bytes_read", "as the calls returned"),
    n_bytes("bytes_written", "as the calls returned"),
    seconds("time_s", "time in these calls"),
    count("sequential", "transfers that begin where the one before through the same descriptor ended"),
    count("strided", "transfers at the same distance as the one before"),
    count("random", "other transfers, without each descriptor's first"),
)

TABLE = TableDeclaration(
    "io",
    "One row per file, rank and layer of software that called.",
    (
        text("file", "absolute path; (other files): those that did not fit into the traces' tables"),
        *WHERE,
        text("layer", "program, outside, mpi-io or beneath"),
        *COUNTS,
        n_bytes("size_bytes", "the file's size, the largest that was seen by any rank", "unknown"),
        number("fraction_read", "distinct bytes that the rank read, in any layer, as a part of the size", "unknown"),
    ),
    more="Layers: `program` is the program's calls of libc; `outside` is those before MPI_Init, after MPI_Finalize or "
    "in threads that do not call MPI; `mpi-io` is MPI_File_*; `beneath` is what the MPI library calls for MPI_File_*. "
    "What the program did is the sum without `beneath`. Files come with most time first. The table is empty if no file "
    "was used; what counts as one is in [the report](report.md#file-io).",
)


def values(content: Content) -> Mapping[str, Values]:
    from leadline.figures.files import OTHER_FILES

    places = places_of(content.run)
    rows = [
        (file, rank, layer, counts)
        for file in content.files.files
        for rank in file.ranks
        for layer, counts in ((layer, getattr(rank, name)) for layer, name in LAYERS.items())
        if counts.calls
    ]
    return {
        "file": [file.file or OTHER_FILES for file, *_ in rows],
        **columns_of([places[rank.process] for _, rank, *_ in rows]),
        "layer": [layer for _, _, layer, _ in rows],
        **{column.name: [getattr(counts, column.name) for *_, counts in rows] for column in COUNTS},
        "size_bytes": [file.size_bytes for file, *_ in rows],
        "fraction_read": [rank.fraction_read for _, rank, *_ in rows],
    }
