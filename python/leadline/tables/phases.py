"""The phases of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.tables.column import Values
from leadline.tables.declaration import TableDeclaration, count, index, number, seconds, text

if TYPE_CHECKING:
    from leadline.figures.content import Content

NO_WAITS = "unknown: no times of calls were kept"
NOTHING_COMPUTED = "no rank computed in it"

TABLE = TableDeclaration(
    "phases",
    "One row per phase: initialisation, the main loop, what recurs in it, loops within it, finalisation.",
    (
        text("name", "the routine, or initialisation and finalisation"),
        text("kind", "init, loop, output or final"),
        index("parent", "row of the phase that it is a part of", "the run"),
        count(
            "iterations", "of the main loop in which it occurs; of an inner loop, its own iterations on the median rank"
        ),
        count("every", "n if it occurs in every n-th iteration, else 0"),
        seconds("period_s", "one iteration on the median rank", "it does not repeat"),
        seconds("computation_s", "between calls, without file I/O, all ranks"),
        seconds("mpi_s", "in MPI, without file I/O, start-up and shut-down"),
        seconds("wait_s", "the part of `mpi_s` that waits for other ranks", NO_WAITS),
        seconds("io_s", "in file I/O, of MPI and of libc"),
        seconds("startup_s", "in MPI_Init and MPI_Finalize"),
        text("bound_by", "computation, communication, io, imbalanced or empty"),
        number("load_balance", "mean computation of the ranks, divided by the longest", NOTHING_COMPUTED),
        number("communication", "longest computation, divided by the time of the slowest rank", NOTHING_COMPUTED),
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
