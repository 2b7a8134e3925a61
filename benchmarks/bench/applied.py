"""The worth of a table to a program that knows nothing of it: the Intel MPI Benchmarks, run by `leadline apply`.

IMB-MPI1 is written for the ABI that MPICH and Intel MPI share. It makes operations in a row and reports their mean, so
its figures are not those of `leadline bench`. It runs with the table and without, by turns.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Printed

import leadline.mpi
from leadline.bench import interval
from leadline.errors import MissingPrerequisite
from leadline.operations import operations
from leadline.runs.launch import Launch
from leadline.runs.order import Order, Turn, turns
from leadline.runs.runner import Done, Runner
from leadline.statistics.median import median
from leadline.statistics.paired import paired_ratios
from leadline.tuning.table import Table, write
from leadline.tuning.tune import SIZES

# Those that IMB-MPI1 has, but its barrier, which has no bytes; as IMB calls them.
OPERATIONS = (
    *("bcast", "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "allgather", "allgatherv", "gather"),
    *("gatherv", "scatter", "scatterv", "alltoall", "alltoallv"),
)
BENCHMARKS = {name: operations()[name].function for name in OPERATIONS}
LINE = re.compile(r"^\s+(\d+)\s+\d+\s+[\d.]+\s+[\d.]+\s+([\d.]+)\s*$")  # bytes, repetitions, least, most, mean
ITERATIONS = "2000,400"  # and no more than so many MB together
TIMEOUT_S = 300


def measure_applied(
    console: Console,
    library: leadline.mpi.Library,
    tuned: Table,
    ranks: Sequence[int],
    launches: int,
    imb: Path | None = None,
) -> list[dict[str, Any]]:
    """A row for each operation, number of ranks and size: native's time by that with the table.

    imb: an IMB-MPI1 built for the library; None: that of Intel MPI's wheel.
    """
    try:
        program = imb or _program(library)
    except MissingPrerequisite as error:
        console.print(f"applied: skipped with {library.name}: {error}")
        return []
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        table, lengths = Path(folder) / "table.toml", Path(folder) / "lengths"
        table.write_text(write(tuned))
        lengths.write_text("".join(f"{size}\n" for size in SIZES))
        apply = [sys.executable, "-m", "leadline", "apply", str(table), "--"]
        for processes in ranks:
            job = [*library.launch(processes), str(program)]
            for operation, benchmark in BENCHMARKS.items():
                options = [benchmark, "-msglen", str(lengths), "-iter", ITERATIONS, "-red_data_type", "double"]
                options += ["-npmin", str(processes)]
                ways = {False: (*job, *options), True: (*apply, *job, *options)}
                times = _by_turns(f"{benchmark} on {processes} ranks", ways, launches, library)
                rows += [_row(library.name, operation, size, processes, tuned, times) for size in SIZES]
    _print(console, library.name, rows)
    return rows


def _program(library: leadline.mpi.Library) -> Path:
    intel = leadline.mpi.find("intel")
    if library.family != intel.family:
        raise MissingPrerequisite("IMB-MPI1 is built for the ABI of MPICH and Intel MPI")
    program = intel.mpiexec.parent / "IMB-MPI1"
    if not program.exists():
        raise MissingPrerequisite(f"IMB-MPI1 is not at {program}")
    return program


def _by_turns(
    label: str, ways: dict[bool, tuple[str, ...]], launches: int, library: leadline.mpi.Library
) -> dict[tuple[bool, int], list[float]]:
    """Microseconds of each launch, by whether the table is applied, and bytes. Raises MeasurementFailed."""
    environ = library.env()
    environ["LD_LIBRARY_PATH"] = f"{library.mpiexec.parent.parent / 'lib'}:{environ.get('LD_LIBRARY_PATH', '')}"
    times: dict[tuple[bool, int], list[float]] = defaultdict(list)

    def launch_of(turn: Turn[bool]) -> Launch:
        return Launch(label, ways[turn.candidate], environ, limit_s=TIMEOUT_S)

    def take(done: Done[bool]) -> None:
        for line in done.outcome.required().output.splitlines():
            if found := LINE.match(line):
                times[done.turn.candidate, int(found[1])].append(float(found[2]))

    finished = Runner().run(turns([False, True], launches, Order.BACK_AND_FORTH), launch_of, take)
    finished.interruption.end_if_any()
    return times


def _row(
    library: str, operation: str, size: int, processes: int, tuned: Table, times: dict[tuple[bool, int], list[float]]
) -> dict[str, Any]:
    rule = tuned.choice(operation, size, processes)
    before, after = times[False, size], times[True, size]
    gain = interval([paired_ratios(before, after)])
    return {
        "library": library,
        "operation": operation,
        "bytes": size,
        "processes": processes,
        "algorithm": rule.name if rule else "native",
        "native_us": median(before),
        "applied_us": median(after),
        "gain": None if gain is None else gain.as_dict(),
    }


def _print(console: Console, library: str, rows: Sequence[dict[str, Any]]) -> None:
    table = Printed(title=f"IMB-MPI1 with {library}, without the table and by leadline apply, by turns", box=None)
    for name in ("operation", "bytes", "ranks", "algorithm", "native µs", "applied µs", "gain"):
        table.add_column(name, justify="left" if name in {"operation", "algorithm"} else "right", no_wrap=True)
    for row in rows:
        gain = row["gain"]
        low_high = f" ({gain['low']:.2f}–{gain['high']:.2f})" if gain["low"] is not None else ""
        table.add_row(
            row["operation"], f"{row['bytes']:,}", str(row["processes"]), row["algorithm"],
            f"{row['native_us']:.4g}", f"{row['applied_us']:.4g}", f"{gain['median']:.2f}{low_high}",
        )  # fmt: skip
    console.print(table)
