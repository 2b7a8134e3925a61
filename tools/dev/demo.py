"""./dev demo: record the OPATM workload with the libraries just installed, and print the report."""

from __future__ import annotations

import subprocess

from dev.paths import BUILD, VENV
from dev.steps import say

RANKS = 8
OPTIONS = ("--grid", "96x48x24", "--tracers", "51", "--steps", "3", "--decomp", "strips", "--cost", "light")


def demo(arguments: list[str]) -> int:
    """8 ranks of OPATM on Open MPI: it yields the processor while it waits, so ranks may outnumber cores."""
    leadline = str(VENV / "bin" / "leadline")
    command = [leadline, "workload", "run", "opatm", "-n", str(RANKS), "--mpi", "openmpi", "--report"]
    say(f"recording OPATM: {RANKS} ranks, {' '.join(OPTIONS)}")
    output = ("--output", str(BUILD / "opatm.bin"))  # so that the report has file output to show
    return subprocess.run([*command, *arguments, "--", *OPTIONS, *output], check=False).returncode
