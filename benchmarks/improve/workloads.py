"""python benchmarks/improve/workloads.py [--mpi NAME]... [--only NAME,...] [--for TIME] [--short] [--commands FILE] DIR

What `leadline improve` finds for the six workloads with two ranks: a row of a table for each search. Each takes as long
as --for says at most, 10 minutes by default, and most end earlier: with two libraries two hours at most, on a machine
that does nothing else. A search that was interrupted goes on.
--short: fewer steps, and 55 s for each search: 11 minutes with two libraries, besides what is built at first.
--commands: programs of your own instead, such as the NAS Parallel Benchmarks: lines "NAME: COMMAND", with the launcher;
{mpiexec} stands for that of the library with two ranks.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from leadline.mpi import Library, available

LEADLINE = (sys.executable, "-m", "leadline")
WORKLOADS = {
    "pop": "--grid 64x64x10 --steps 20",
    "vh1": "--grid 32x32x32 --steps 10",
    "s3d": "--grid 24x24x24 --steps 6",
    "gtc": "--particles 40000 --steps 10",
    "opatm": "--grid 90x32x24 --tracers 8 --steps 6",
    "wrf": "--grid 41x41x20 --steps 12",
}
SHORT = {"pop": "--grid 64x64x10 --steps 10", "wrf": "--grid 41x41x20 --steps 6"}
SHORT_LIMIT = "55s"
HEAD = "| program | library | unchanged | launches | time | found |\n|---|---|---|---|---|---|"


def workloads(library: Library, only: list[str], *, short: bool) -> dict[str, list[str]]:
    """Commands by name."""
    found = {}
    for name, options in {**WORKLOADS, **(SHORT if short else {})}.items():
        if not only or name in only:
            build = [*LEADLINE, "workload", "build", name, "--mpi", library.name]
            built = subprocess.run(build, check=True, capture_output=True, text=True)
            found[name] = [*library.launch(2), built.stdout.splitlines()[-1], *options.split()]
    return found


def commands(file: Path, library: Library, only: list[str]) -> dict[str, list[str]]:
    lines = [line for line in file.read_text().splitlines() if line.strip() and not line.startswith("#")]
    pairs = [line.partition(":")[::2] for line in lines]
    launch = shlex.join(library.launch(2))
    return {name: shlex.split(rest.replace("{mpiexec}", launch)) for name, rest in pairs if not only or name in only}


def row(name: str, library: Library, found: dict[str, Any]) -> str:
    if found["chosen"]:
        what = "; ".join(setting["what"] for setting in found["chosen"])
        text = f"{found['gain']:.1%} ({found['low']:.1%} to {found['high']:.1%}): {what}"
    else:
        text = "nothing proven" + (f" ({found['why_over']})" if found["why_over"] else "")
    unchanged = (
        f"{found['unchanged_s']:.3g} s, differs by {found['unchanged_spread']:.1%}" if found["unchanged_s"] else ""
    )
    return f"| {name} | {library.name} | {unchanged} | {found['launches']} | {found['wall_s']:.0f} s | {text} |"


def main() -> int:
    given = argparse.ArgumentParser(usage=__doc__)
    given.add_argument("--mpi", action="append", default=[])
    given.add_argument("--only", default="")
    given.add_argument("--for", dest="limit", default="")
    given.add_argument("--short", action="store_true")
    given.add_argument("--commands", type=Path)
    given.add_argument("directory", type=Path)
    options = given.parse_args()
    limit = options.limit or (SHORT_LIMIT if options.short else "10m")
    names = options.mpi or ["mpich", "openmpi"]
    only = [name for name in options.only.split(",") if name]
    print(HEAD, flush=True)
    for library in (library for library in available() if library.name in names):
        ours = (
            commands(options.commands, library, only)
            if options.commands
            else workloads(library, only, short=options.short)
        )
        for name, command in ours.items():
            folder = options.directory.absolute() / f"{name}-{library.name}"
            folder.parent.mkdir(parents=True, exist_ok=True)
            words = [*LEADLINE, "improve", "--json", "--for", limit, "-o", str(folder), "--", *command]
            done = subprocess.run(words, env=library.env(), stdout=subprocess.PIPE, text=True, check=False)
            if done.returncode != 0:
                print(f"| {name} | {library.name} | | | | failed: exit code {done.returncode} |", flush=True)
                continue
            folder.with_suffix(".json").write_text(done.stdout)
            print(row(name, library, json.loads(done.stdout)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
