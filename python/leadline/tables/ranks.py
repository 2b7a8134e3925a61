"""Each rank's time by kind, and the data it sent and received."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.tables.column import Values
from leadline.tables.declaration import TableDeclaration, count, flag, index, n_bytes, seconds, text
from leadline.tables.world_ranks import WHERE, columns_of, world_ranks_of

if TYPE_CHECKING:
    from leadline.figures.content import Content

# The column of each category of calls (docs/read/report.md, by_kind_s): io_s is that of libc's calls.
OF_CATEGORY = {
    "startup": seconds("startup_s", "in MPI_Init, MPI_Finalize and related calls"),
    "point_to_point": seconds("point_to_point_s", "in sends and receives"),
    "completion": seconds("completion_s", "in calls that complete or test requests"),
    "collective": seconds("collective_s", "in collectives"),
    "one_sided": seconds("one_sided_s", "in one-sided operations and their synchronisation"),
    "io": seconds("mpi_io_s", "in MPI_File_*"),
    "setup": seconds("setup_s", "in calls that create or free communicators, datatypes and groups"),
    "local": seconds("local_s", "in local functions"),
}

TABLE = TableDeclaration(
    "ranks",
    "One row per recorded rank.",
    (
        *WHERE,
        text("host", "host name"),
        count("pid", "process id"),
        index("threads", "threads that called MPI"),
        seconds("duration_s", "from MPI_Init to MPI_Finalize"),
        seconds("time_s", "thread time without pauses: computation, MPI, file I/O and overhead"),
        seconds("computation_s", "part of `time_s` outside MPI, file I/O and overhead"),
        seconds("mpi_s", "part of `time_s` in MPI: sum of the categories below"),
        seconds("io_s", "part of `time_s` in libc's file calls"),
        seconds("own_between_s", "part of `time_s` that is Leadline's overhead, between calls"),
        *OF_CATEGORY.values(),
        count("calls", "MPI calls"),
        count("messages", "messages sent (MPI_PROC_NULL excluded)"),
        n_bytes("bytes", "bytes sent, put, or written by MPI_File_*"),
        n_bytes("bytes_received", "bytes received, got, or read by MPI_File_*"),
        n_bytes("collective_bytes", "bytes contributed to collectives"),
        n_bytes("collective_bytes_received", "bytes received from collectives"),
        count("one_sided_operations", "puts, gets and accumulates (MPI_PROC_NULL targets excluded)"),
        n_bytes("bytes_put", "bytes put"),
        n_bytes("bytes_got", "bytes got"),
        seconds("own_s", "Leadline's measured overhead on this rank"),
        n_bytes("trace_bytes", "bytes of its trace file"),
        flag("finalized", "MPI_Finalize was called"),
        flag("complete", "the trace was closed"),
    ),
    more="Ranks without a trace have no row (see `losses()`). Rows are in the order of MPI_COMM_WORLDs and ranks; "
    "processes whose MPI_COMM_WORLD is unknown come last.",
)


def values(content: Content) -> Mapping[str, Values]:
    world_ranks = world_ranks_of(content.run)
    ranks = content.ranks
    return {
        **columns_of([world_ranks[process] for process in content.run.order]),
        "host": [rank.host for rank in ranks],
        "pid": [rank.pid for rank in ranks],
        "threads": [rank.threads for rank in ranks],
        "duration_s": [rank.duration_s for rank in ranks],
        "time_s": [rank.time_s for rank in ranks],
        "computation_s": [rank.computation_s for rank in ranks],
        "mpi_s": [rank.mpi_s for rank in ranks],
        "io_s": [rank.io_s for rank in ranks],
        "own_between_s": [rank.own_between_s for rank in ranks],
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
