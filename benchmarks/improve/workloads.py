"""python benchmarks/improve/workloads.py [--mpi NAME,...] [--only NAME,...] [--program NAME=COMMAND]... [--for TIME]
[--ranks N] [--within TIME] [--repeats N] [--more] [--again] [--short] DIR

What `leadline improve` finds for the six workloads with two ranks (--ranks), or for programs of your own: a row of a
table for each search, which is also in DIR/table.md. A search takes as long as --for says at most, 10 minutes by
default; most end earlier. The machine should do nothing else. What has ended is not measured again, and a search that
was interrupted goes on: the same command continues. The programs run in DIR/work, where files that they read can be put
before.

--program: one of your own instead of the workloads, such as "cg=/opt/npb/cg.A.{library}". {library} stands for the
library's name; {mpiexec} for its launcher, which is put in front if the command does not name it.
--on NAME=LIBRARY,...: a program that only these have.
--within: begins no search after so long, and gives the last one only what is left.
--repeats: so many searches of each, to see how often a gain is claimed.
--more: goes on with searches for which time was short, for as long again.
--again: measures the gains that were found once more, in a second session: `leadline improve --again`.
--short: fewer steps, and 55 s for each search: 11 minutes with two libraries, besides what is built at first.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from leadline.mpi import Library, available
from leadline.text.durations import seconds_of

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
SHORT_LIMIT, LIMIT = "55s", "10m"
RANKS = 2
LEAST_S = 20.0  # in which a search can find anything
LAUNCHER = "{mpiexec}"
HEAD = "| program | library | compared, unchanged | launches | time | found |\n|---|---|---|---|---|---|"
AGAIN_HEAD = "| program | library | when it was found | again | holds |\n|---|---|---|---|---|"


def workload(name: str, library: Library, ranks: int, *, short: bool) -> list[str]:
    build = [*LEADLINE, "workload", "build", name, "--mpi", library.name]
    built = subprocess.run(build, check=True, capture_output=True, text=True)
    options = {**WORKLOADS, **(SHORT if short else {})}[name]
    return [*library.launch(ranks), built.stdout.splitlines()[-1], *options.split()]


def launched(command: str, library: Library, ranks: int) -> list[str]:
    command = command if LAUNCHER in command else f"{LAUNCHER} {command}"
    return shlex.split(command.replace(LAUNCHER, shlex.join(library.launch(ranks))).replace("{library}", library.name))


def row(name: str, library: str, found: dict[str, Any]) -> str:
    if found["chosen"]:
        what = "; ".join(setting["what"] for setting in found["chosen"])
        text = f"{_range(found)}: {what}"
    else:
        text = "nothing proven" + (f" ({found['why_over']})" if found["why_over"] else "")
    unchanged = (
        f"{found['measured']}, {found['unchanged_s']:.3g} s, differs by {found['unchanged_spread']:.1%}"
        if found["unchanged_s"]
        else ""
    )
    return f"| {name} | {library} | {unchanged} | {found['launches']} | {found['wall_s']:.0f} s | {text} |"


def again_row(name: str, library: str, found: dict[str, Any]) -> str:
    holds = {True: "yes", False: "no", None: "not decided"}[found["holds"]]
    return f"| {name} | {library} | {_range(found['found'])} | {_range(found)} | {holds} |"


def _range(found: dict[str, Any]) -> str:
    if found["gain"] is None:
        return "nothing"
    interval = f" ({found['low']:.1%} to {found['high']:.1%})" if found["low"] is not None else ""
    return f"{found['gain']:.1%}{interval}"


def improved(words: list[str], environ: dict[str, str], folder: Path, result: Path) -> tuple[Any, str]:
    """What `leadline improve` says as JSON, which is kept if the search came to its end; or how it failed."""
    work = folder.parent / "work"
    work.mkdir(exist_ok=True)
    said = folder.with_name(f"{folder.name}.log")
    with said.open("a") as log:
        done = subprocess.run(words, cwd=work, env=environ, stdout=subprocess.PIPE, stderr=log, text=True, check=False)
    if done.returncode != 0:
        last = said.read_text().strip().splitlines()[-1:]
        return None, f"failed: exit code {done.returncode}: {''.join(last)}"
    result.write_text(done.stdout)
    return json.loads(done.stdout), ""


def searches(options: argparse.Namespace, libraries: list[Library]) -> Iterator[tuple[str, Library, list[str], str]]:
    """Name, library, command and folder: programs one after the other, each with every library."""
    own = dict(each.split("=", 1) for each in options.program)
    on = {name: of.split(",") for name, of in (each.split("=", 1) for each in options.on)}
    for name in own or WORKLOADS:
        for library in libraries:
            if library.name in on.get(name, [library.name]) and (not options.only or name in options.only.split(",")):
                ranks = options.ranks
                made = (
                    launched(own[name], library, ranks) if own else workload(name, library, ranks, short=options.short)
                )
                folder = f"{name}-{library.name}" + (f"-{ranks}" if ranks != RANKS else "")
                for number in range(options.repeats):
                    yield name, library, made, f"{folder}-{number}" if options.repeats > 1 else folder


def main(words: list[str] | None = None) -> int:
    given = argparse.ArgumentParser(usage=__doc__)
    given.add_argument("--mpi", default="mpich,openmpi")
    given.add_argument("--only", default="")
    given.add_argument("--program", action="append", default=[], metavar="NAME=COMMAND")
    given.add_argument("--on", action="append", default=[], metavar="NAME=LIBRARY,...")
    given.add_argument("--for", dest="limit", default="")
    given.add_argument("--within", default="")
    given.add_argument("--ranks", type=int, default=RANKS)
    given.add_argument("--repeats", type=int, default=1)
    given.add_argument("--more", action="store_true")
    given.add_argument("--again", action="store_true")
    given.add_argument("--short", action="store_true")
    given.add_argument("directory", type=Path)
    options = given.parse_args(words)
    directory = options.directory.absolute()
    directory.mkdir(parents=True, exist_ok=True)
    for_s = seconds_of(options.limit or (SHORT_LIMIT if options.short else LIMIT))
    end = time.monotonic() + (seconds_of(options.within) if options.within else float("inf"))
    libraries = [library for library in available() if library.name in options.mpi.split(",")]
    libraries.sort(key=lambda library: options.mpi.split(",").index(library.name))
    table = [AGAIN_HEAD if options.again else HEAD]
    print(table[0], flush=True)
    gains = 0
    for name, library, command, where in searches(options, libraries):
        folder = directory / where
        result = folder.with_name(f"{folder.name}.again.json" if options.again else f"{folder.name}.json")
        how = ["--again"] if options.again else ["--for", f"{min(for_s, end - time.monotonic()):.0f}s"]
        name = f"{name}, {options.ranks} ranks" if options.ranks != RANKS else name
        if options.again and not (folder / "improve.toml").is_file():
            continue
        kept = json.loads(result.read_text()) if result.is_file() else None
        if kept and not (options.more and kept.get("why_over")):
            found, why = kept, ""
        elif end - time.monotonic() < LEAST_S:
            continue
        else:
            words = [*LEADLINE, "improve", "--json", *how, "-o", str(folder), "--", *command]
            found, why = improved(words, library.env(), folder, result)
        line = (again_row if options.again else row)(name, library.name, found) if found else ""
        gains += bool(found and found["gain"])
        table.append(line or f"| {name} | {library.name} | {why} |")
        print(table[-1], flush=True)
        (directory / ("again.md" if options.again else "table.md")).write_text("\n".join(table) + "\n")
    if options.repeats > 1:
        print(f"{gains} of {len(table) - 1} searches claim a gain")
    return 0


if __name__ == "__main__":
    sys.exit(main())
