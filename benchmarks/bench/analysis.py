"""What a report costs, by the length of the run: processor time and memory of `leadline report`, on one core."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console

from bench.cases import SIZE_CASE
from bench.program import Program
from leadline.errors import MeasurementFailed
from leadline.runs.execute import execute
from leadline.runs.launch import Launch
from leadline.runs.order import turns
from leadline.statistics.median import median

CALLS_OF_A_STEP = 409
BOUNDED_STEPS = (50, 5000)
# All 50 steps fit into the larger one. They do not fit into the smaller one, and then none is sampled: the short run
# has no waits to find, and the long one has.
BOUNDED_SERIES = ("5kB", "40kB")
FULL_CALLS = (10**6, 10**7, 10**8)  # of all ranks
SPACE = "8GB"  # for a rank's trace and for the recorder, so that the full series is kept


def measure_analysis(console: Console, program: Program, repeats: int, most_calls: int) -> dict[str, Any]:
    """The bounded mode: medians of reports of short and long runs in turn. The full series: one report of each run."""
    with tempfile.TemporaryDirectory(prefix="leadline-bench-") as name:
        folder = Path(name)
        bounded = [_bounded(console, program, folder, series, repeats) for series in BOUNDED_SERIES]
        full = []
        for calls in (n for n in FULL_CALLS if n <= most_calls):
            steps = calls // CALLS_OF_A_STEP // program.ranks
            row = _report(_recorded(program, folder / f"full-{calls}", steps, "all"))
            full.append({"calls": calls, **row})
            console.print(
                f"--series all, {calls:>11,} calls: {row['cpu_s']:6.2f} s, {row['peak_kb'] / 1e3:,.0f} MB, "
                f"times {row['kept']}"
            )
    return {"bounded": bounded, "full": full}


def _bounded(console: Console, program: Program, folder: Path, series: str, repeats: int) -> dict[str, Any]:
    runs = [_recorded(program, folder / f"{series}-{n}", n, series) for n in BOUNDED_STEPS]
    each: list[list[dict[str, Any]]] = [[{} for _ in runs] for _ in range(repeats)]
    for turn in turns(range(len(runs)), repeats):
        each[turn.round][turn.candidate] = _report(runs[turn.candidate])
    if each[0][1]["kept"] != "sampled":
        raise MeasurementFailed(f"with --series {series}, the times kept of the long run are {each[0][1]['kept']}")
    medians = [median(rows[i]["cpu_s"] for rows in each) for i in range(len(runs))]
    for steps, cpu_s, row in zip(BOUNDED_STEPS, medians, each[0], strict=True):
        console.print(
            f"--series {series}, {steps:>5,} steps: {cpu_s:5.2f} s, times {row['kept']}, "
            f"{row['sampled']} iterations sampled, waits {'found' if row['waits'] else 'not known'}"
        )
    console.print(f"ratio {medians[1] / medians[0]:.2f}")
    return {"series": series, "steps": BOUNDED_STEPS, "cpu_s": medians, "each": each}


def _recorded(program: Program, run: Path, steps: int, series: str) -> Path:
    options = ["-q", "-o", str(run), "--series", series, "--budget", SPACE, "--memory", SPACE]
    launch = [*program.library.launch(program.ranks), str(program.path), SIZE_CASE]
    launch += ["--blocks", "1", "--no-warm-up", "--iterations", str(steps)]
    command = [sys.executable, "-m", "leadline", "record", *options, "--", *launch]
    execute(Launch(f"recording {run.name}", tuple(command), program.library.env())).required()
    return run


def _report(run: Path) -> dict[str, Any]:
    """Raises MeasurementFailed if the report fails."""
    core = str(min(os.sched_getaffinity(0)))
    command = ("taskset", "-c", core, sys.executable, "-m", "leadline", "report", "--json", str(run))
    done = execute(Launch(f"leadline report of {run.name}", command)).required()
    report = json.loads(done.output)
    return {
        "cpu_s": done.cpu_s,
        "peak_kb": done.peak_kb,
        "kept": report["iterations"]["kept"],
        "sampled": len(report["iterations"]["sampled"]),
        "waits": report["waits_s"] is not None,
    }
