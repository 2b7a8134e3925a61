"""One process's time by kind, and what it sent and received."""

from __future__ import annotations

from dataclasses import dataclass

from leadline import _core
from leadline.figures.run import Run


@dataclass(frozen=True, slots=True)  # slots: there may be a hundred thousand
class RankEntry:
    """One process. time_s = computation_s + mpi_s + io_s + own_between_s, over its threads, without pauses.

    io_s: time in libc's file calls.   own_between_s: Leadline's overhead between calls; own_s: all of it, also before
    MPI_Init and when the process ends.
    """

    rank: str
    host: str
    pid: int
    threads: int
    duration_s: float
    time_s: float
    computation_s: float
    mpi_s: float
    io_s: float
    category_s: dict[str, float]
    category_calls: dict[str, int]
    calls: int
    messages: int
    collectives: int
    bytes_sent: int
    bytes_received: int
    contributed: int
    collected: int
    operations: int
    bytes_put: int
    bytes_got: int
    own_s: float
    own_between_s: float
    trace_bytes: int
    finalized: bool
    complete: bool

    @property
    def mpi_share(self) -> float:
        """Of its time between MPI_Init and MPI_Finalize."""
        base_s = self.time_s - self.category_s["startup"]
        return (self.mpi_s - self.category_s["startup"]) / base_s if base_s > 0 else 0.0


def rank_entry(run: Run, index: int) -> RankEntry:
    process = run.processes[index]
    mpi_s = process.total.time_ns * 1e-9
    io_s = process.files_ns * 1e-9
    own_between_s = process.own_ns * 1e-9
    duration_s = process.duration_ns * 1e-9
    if process.threads <= 1:
        computation_s = max(duration_s - mpi_s - io_s - own_between_s - process.pauses.sum_ns * 1e-9, 0.0)
    else:  # calls to local functions lie in the gaps between the others
        local_s = process.category_ns[_core.CATEGORIES.index("local")] * 1e-9
        computation_s = max(process.gap_ns * 1e-9 - local_s, 0.0)
    return RankEntry(
        rank=run.label(index),
        host=process.host,
        pid=process.pid,
        threads=process.threads,
        duration_s=duration_s,
        time_s=computation_s + mpi_s + io_s + own_between_s,
        computation_s=computation_s,
        mpi_s=mpi_s,
        io_s=io_s,
        category_s={name: ns * 1e-9 for name, ns in zip(_core.CATEGORIES, process.category_ns, strict=True)},
        category_calls=dict(zip(_core.CATEGORIES, process.category_calls, strict=True)),
        calls=process.total.calls,
        messages=process.total.messages,
        collectives=process.total.ends.collectives,
        bytes_sent=process.total.sent,
        bytes_received=process.total.received,
        contributed=process.total.contributed,
        collected=process.total.collected,
        operations=process.total.operations,
        bytes_put=process.total.put,
        bytes_got=process.total.got,
        own_s=process.own_overhead_ns * 1e-9,
        own_between_s=own_between_s,
        trace_bytes=process.file_bytes,
        finalized=process.finalized,
        complete=process.complete,
    )
