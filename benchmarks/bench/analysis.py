"""What a report costs, by the length of the run: processor time and memory of `leadline report`, on one core."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console

from bench.cases import SIZE_CASE
from bench.program import LaunchFailed, Program

CALLS_OF_A_STEP = 409
BOUNDED_STEPS = (50, 5000)
BOUNDED_SERIES = "5kB"  # the least there is, so that 50 steps do not fit into it either
FULL_CALLS = (10**6, 10**7, 10**8)  # of all ranks
SPACE = "8GB"  # for a rank's trace and for the recorder, so that the full series is kept


def measure_analysis(console: Console, program: Program, repeats: int, most_calls: int) -> dict[str, Any]:
    """The bounded mode: medians of reports of short and long runs in turn. The full series: one report of each run."""
    with tempfile.TemporaryDirectory(prefix="leadline-bench-") as folder:
        runs = [_recorded(program, Path(folder) / f"bounded-{n}", n, BOUNDED_SERIES) for n in BOUNDED_STEPS]
        each = [[_report(run, full=False) for run in runs] for _ in range(repeats)]
        bounded = [statistics.median(times[i]["cpu_s"] for times in each) for i in range(len(runs))]
        for steps, cpu_s in zip(BOUNDED_STEPS, bounded, strict=True):
            console.print(f"bounded, {steps:>6,} steps: {cpu_s:6.2f} s")
        console.print(f"ratio {bounded[1] / bounded[0]:.2f}")
        full = []
        for calls in (n for n in FULL_CALLS if n <= most_calls):
            steps = calls // CALLS_OF_A_STEP // program.ranks
            full.append({"calls": calls, **_report(_recorded(program, Path(folder) / f"{calls}", steps, "all"), full=True)})
            console.print(f"full, {calls:>11,} calls: {full[-1]['cpu_s']:6.2f} s, {full[-1]['peak_kb'] / 1e3:,.0f} MB")
    return {"bounded": {"steps": BOUNDED_STEPS, "cpu_s": bounded, "each": each}, "full": full}


def _recorded(program: Program, run: Path, steps: int, series: str) -> Path:
    options = ["-q", "-o", str(run), "--series", series, "--budget", SPACE, "--memory", SPACE]
    launch = [*program.library.launch(program.ranks), str(program.path), SIZE_CASE]
    launch += ["--blocks", "1", "--no-warm-up", "--iterations", str(steps)]
    command = [sys.executable, "-m", "leadline", "record", *options, "--", *launch]
    done = subprocess.run(command, capture_output=True, text=True, env=program.library.env(), check=False)
    if done.returncode != 0:
        raise LaunchFailed(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return run


def _report(run: Path, *, full: bool) -> dict[str, Any]:
    """Raises LaunchFailed if the report fails, or if the run did not keep the times it should have kept."""
    core = min(os.sched_getaffinity(0))
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            ["taskset", "-c", str(core), sys.executable, "-m", "leadline", "report", "--json", str(run)], stdout=output
        )
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        if child.returncode != 0:
            raise LaunchFailed(f"leadline report of {run.name} ended with {child.returncode}")
        kept = json.load(output)["iterations"]["kept"]
    if (kept == "full") != full:
        raise LaunchFailed(f"{run.name}: the times kept are {kept}")
    return {"cpu_s": usage.ru_utime + usage.ru_stime, "peak_kb": usage.ru_maxrss}
