"""./dev demo: record the OPATM workload with the libraries just installed, and print the report."""

from __future__ import annotations

import os
import subprocess

from dev.paths import BUILD, VENV
from dev.steps import say

MOST_RANKS = 8
OPTIONS = ("--grid", "96x48x24", "--tracers", "51", "--steps", "6", "--decomp", "strips", "--cost", "light")


def demo(arguments: list[str]) -> int:
    """OPATM on Open MPI, with as many ranks as cores, so that its times are not those of waiting for a core."""
    leadline = str(VENV / "bin" / "leadline")
    ranks = max(2, min(MOST_RANKS, len(os.sched_getaffinity(0))))
    command = [leadline, "workload", "run", "opatm", "-n", str(ranks), "--mpi", "openmpi", "--report"]
    say(f"recording OPATM: {ranks} ranks, {' '.join(OPTIONS)}")
    output = ("--output", str(BUILD / "opatm.bin"))  # so that the report has file output to show
    code = subprocess.run([*command, *arguments, "--", *OPTIONS, *output], check=False).returncode
    say("docs/first-report.md explains this report; for your own program: .venv/bin/leadline run -- mpiexec -n 4 ./app")
    return code
