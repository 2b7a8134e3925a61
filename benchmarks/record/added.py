"""python benchmarks/record/added.py [--turns N] [--rank R] [--recorder FILE]... --launch 'mpiexec -n 2' PROGRAM …

What recording adds to the processor time of one rank of any program, from its start to its end: the program runs
without the recorder and with it, by turns. Several recorders are measured beside one another. Figures are in
docs/record/performance.md.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from leadline.launch.recorder import require_library
from leadline.statistics.median import median

RANKS = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID")
# Between the launcher and the program: it notes the processor time of its child in ms, and ends as that does.
WATCH = f"""
import os, sys
rank = next((os.environ[name] for name in {RANKS!r} if name in os.environ), "0")
recorder, notes = sys.argv[1:3]
environ = dict(os.environ)
if recorder:
    environ |= {{"LD_PRELOAD": recorder, "LEADLINE_DIR": notes + ".run"}}
pid = os.posix_spawnp(sys.argv[3], sys.argv[3:], environ)
_, status, used = os.wait4(pid, 0)
with open(notes + "." + rank, "w") as file:
    file.write(str(1000 * (used.ru_utime + used.ru_stime)))
sys.exit(os.waitstatus_to_exitcode(status) & 255)
"""


def processor_ms(options: argparse.Namespace, recorder: str) -> float:
    """Of the rank, in one launch. Exits if the program fails."""
    with tempfile.TemporaryDirectory(prefix="leadline-added-") as folder:
        notes = Path(folder) / "rank"
        command = [*shlex.split(options.launch), sys.executable, "-I", "-S", "-c", WATCH, recorder, str(notes)]
        done = subprocess.run(
            [*command, *options.program], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        noted = Path(f"{notes}.{options.rank}")
        if done.returncode != 0 or not noted.exists():
            sys.exit(f"added: {shlex.join(options.program)} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
        return float(noted.read_text())


def main() -> None:
    p = argparse.ArgumentParser(description="Processor time that recording adds to one rank of a program.")
    p.add_argument("--turns", type=int, default=9)
    p.add_argument("--rank", type=int, default=0)
    p.add_argument("--recorder", action="append", help="a libleadline.so (default: the one that was built)")
    p.add_argument("--launch", default="mpiexec -n 2")
    p.add_argument("program", nargs=argparse.REMAINDER)
    options = p.parse_args()
    recorders = options.recorder or [str(require_library())]
    times: dict[str, list[float]] = {name: [] for name in ("", *recorders)}
    for _ in range(options.turns):
        for name, of in times.items():
            of.append(processor_ms(options, name))
    plain = times[""]
    print(f"load {os.getloadavg()[0]:.1f}; plain: median {median(plain):.1f} ms, least {min(plain):.1f}")
    for name in recorders:
        added = [with_it - without for with_it, without in zip(times[name], plain, strict=True)]
        print(
            f"{name}: adds {median(added):.1f} ms ({min(added):.1f} to {max(added):.1f}), "
            f"least {min(times[name]) - min(plain):.1f}"
        )


if __name__ == "__main__":
    main()
