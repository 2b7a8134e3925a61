"""The phases of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.tables.column import Values
from leadline.tables.declaration import TableDeclaration, count, index, number, seconds, text

if TYPE_CHECKING:
    from leadline.figures.content import Content

NO_WAITS = "waiting is unknown (the report says why)"
NOTHING_COMPUTED = "no computation in the phase"

TABLE = TableDeclaration(
    "phases",
    "One row per phase: initialisation, the main loop, its recurring parts and inner loops, finalisation.",
    (
        text("name", "routine, or initialisation or finalisation"),
        text("kind", "init, loop, output or final"),
        index("parent", "row of the parent phase", "the run"),
        count(
            "iterations", "main-loop iterations that contain it; for an inner loop, its own iterations (median rank)"
        ),
        count("every", "n: in every n-th iteration; 0: otherwise"),
        seconds("period_s", "one iteration on the median rank", "does not repeat"),
        seconds("computation_s", "computation, summed over ranks"),
        seconds("mpi_s", "MPI without MPI-IO, MPI_Init and MPI_Finalize"),
        seconds("wait_s", "part of `mpi_s` spent waiting for other ranks", NO_WAITS),
        seconds("io_s", "file I/O (MPI_File_* and libc)"),
        seconds("startup_s", "in MPI_Init and MPI_Finalize"),
        text("bound_by", "computation, communication, io, imbalanced or empty"),
        number("load_balance", "mean / max computation over ranks", NOTHING_COMPUTED),
        number("communication", "max computation / time of the slowest rank", NOTHING_COMPUTED),
    ),
)


def values(content: Content) -> Mapping[str, Values]:
    phases = content.phases
    return {
        "name": [phase.name for phase in phases],
        "kind": [phase.kind for phase in phases],
        "parent": [phase.parent for phase in phases],
        "iterations": [phase.iterations for phase in phases],
        "every": [phase.every for phase in phases],
        "period_s": [phase.period_s for phase in phases],
        "computation_s": [phase.computation_s for phase in phases],
        "mpi_s": [phase.mpi_s for phase in phases],
        "wait_s": [phase.wait_s for phase in phases],
        "io_s": [phase.io_s for phase in phases],
        "startup_s": [phase.startup_s for phase in phases],
        "bound_by": [phase.cls for phase in phases],
        "load_balance": [phase.efficiency.load_balance if phase.efficiency else None for phase in phases],
        "communication": [phase.efficiency.communication if phase.efficiency else None for phase in phases],
    }
