"""Each rank's time by kind, and the data it sent and received."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.tables.column import Values
from leadline.tables.declaration import TableDeclaration, count, flag, index, n_bytes, seconds, text
from leadline.tables.places import WHERE, columns_of, places_of

if TYPE_CHECKING:
    from leadline.figures.content import Content

# The column of each category of calls (docs/read/report.md, by_kind_s): io_s is that of libc's calls.
OF_CATEGORY = {
    "startup": seconds("startup_s", "in MPI_Init, MPI_Finalize and the like"),
    "point_to_point": seconds("point_to_point_s", "in sends and receives"),
    "completion": seconds("completion_s", "in calls that complete or test requests"),
    "collective": seconds("collective_s", "in collectives"),
    "one_sided": seconds("one_sided_s", "in one-sided operations and their synchronisation"),
    "io": seconds("mpi_io_s", "in MPI_File_*"),
    "setup": seconds("setup_s", "in calls that make and free communicators, datatypes and the like"),
    "local": seconds("local_s", "in purely local functions"),
}

TABLE = TableDeclaration(
    "ranks",
    "One row per rank that was recorded.",
    (
        *WHERE,
        text("host", "name of its host"),
        count("pid", "its process id there"),
        index("threads", "number of its threads that called MPI"),
        seconds("duration_s", "from MPI_Init to MPI_Finalize"),
        seconds("time_s", "time of its threads that called MPI, without pauses: computation, MPI and file I/O"),
        seconds("computation_s", "part of `time_s` outside MPI and calls on files"),
        seconds("mpi_s", "part of `time_s` in MPI: the sum of the categories that follow `io_s`"),
        seconds("io_s", "part of `time_s` in libc's calls on files"),
        *OF_CATEGORY.values(),
        count("calls", "calls of MPI functions"),
        count("messages", "sends that were started to a real partner"),
        n_bytes("bytes", "of its messages and one-sided puts, and written through MPI_File_*"),
        n_bytes("bytes_received", "by receives, one-sided gets and reads through MPI_File_*"),
        n_bytes("collective_bytes", "contributed to collectives"),
        n_bytes("collective_bytes_received", "received from collectives"),
        count("one_sided_operations", "puts, gets and accumulates at a real target"),
        n_bytes("bytes_put", "by one-sided operations"),
        n_bytes("bytes_got", "by one-sided operations"),
        seconds("own_s", "Leadline's own time in this rank, as measured"),
        n_bytes("trace_bytes", "of its own trace file"),
        flag("finalized", "it called MPI_Finalize"),
        flag("complete", "it closed its trace"),
    ),
    more="A rank without a trace has no row; `losses()` names it. Rows are in the order of worlds and ranks; processes "
    "of no known world come last.",
)


def values(content: Content) -> Mapping[str, Values]:
    places = places_of(content.run)
    ranks = content.ranks
    return {
        **columns_of([places[process] for process in content.run.order]),
        "host": [rank.host for rank in ranks],
        "pid": [rank.pid for rank in ranks],
        "threads": [rank.threads for rank in ranks],
        "duration_s": [rank.duration_s for rank in ranks],
        "time_s": [rank.time_s for rank in ranks],
        "computation_s": [rank.computation_s for rank in ranks],
        "mpi_s": [rank.mpi_s for rank in ranks],
        "io_s": [rank.io_s for rank in ranks],
        **{column.name: [rank.category_s[name] for rank in ranks] for name, column in OF_CATEGORY.items()},
        "calls": [rank.calls for rank in ranks],
        "messages": [rank.messages for rank in ranks],
        "bytes": [rank.bytes_sent for rank in ranks],
        "bytes_received": [rank.bytes_received for rank in ranks],
        "collective_bytes": [rank.contributed for rank in ranks],
        "collective_bytes_received": [rank.collected for rank in ranks],
        "one_sided_operations": [rank.operations for rank in ranks],
        "bytes_put": [rank.bytes_put for rank in ranks],
        "bytes_got": [rank.bytes_got for rank in ranks],
        "own_s": [rank.own_s for rank in ranks],
        "trace_bytes": [rank.trace_bytes for rank in ranks],
        "finalized": [rank.finalized for rank in ranks],
        "complete": [rank.complete for rank in ranks],
    }
