"""python benchmarks/node/foreign.py [--mpi NAME] [--most-ranks N] [--limit SECONDS] SOURCE DIR

MPICH's own tests of collectives, unmodified, under tables that name every algorithm. SOURCE is test/mpi of MPICH's
sources, which do not come with Leadline; DIR takes what is built. Each test runs without the shim first: if it fails
there, it says nothing and is left out. Then it runs under a table for each turn, in which every operation that it calls
has the next algorithm. Prints how many runs there were and how many failed, and which algorithms served calls.
"""

from __future__ import annotations

import argparse
import importlib
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.launch.shim import require_library
from leadline.mpi import Library, find
from leadline.operations import operations

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

algorithms = importlib.import_module("shim.tables").algorithms

CONFIGURED = ("STDARG_H", "UNISTD_H", "STRING_H", "SYS_TIME_H", "SYS_RESOURCE_H", "LONG_LONG", "LONG_DOUBLE")
UTILITIES = ("mtest.c", "mtest_common.c", "mtest_single.c", "dtypes.c")
LEFT_TO_THE_LIBRARY = re.compile(r"^(i[a-z]|p_|nonblocking)")
TIMEOUT_S = 60
MOST = (1 << 63) - 1


@dataclass(frozen=True)
class Case:
    name: str
    ranks: int
    words: tuple[str, ...]
    called: tuple[str, ...]  # operations


def cases(source: Path, most_ranks: int) -> list[Case]:
    by_function = {operation.function: name for name, operation in operations().items()}
    found = []
    for line in (source / "coll" / "testlist.in").read_text().splitlines():
        words = line.split()
        if len(words) < 2 or not words[1].isdigit() or LEFT_TO_THE_LIBRARY.match(words[0]):
            continue
        path = source / "coll" / f"{words[0]}.c"
        if not path.exists() or not 2 <= int(words[1]) <= most_ranks:
            continue
        text = path.read_text(errors="replace")
        called = [name for function, name in by_function.items() if re.search(rf"\bMPI_{function}\s*\(", text)]
        arguments = [part for word in words[2:] if word.startswith("arg=") for part in [word.removeprefix("arg=")]]
        if called:
            found.append(Case(words[0], int(words[1]), tuple(arguments), tuple(called)))
    return list(dict.fromkeys(found))


def built(case: Case, source: Path, folder: Path, library: Library) -> Path | None:
    """None: it cannot be built so."""
    program = folder / case.name
    if program.exists():
        return program
    (folder / "mpitestconf.h").write_text("".join(f"#define HAVE_{name} 1\n" for name in CONFIGURED))
    (folder / "mtest_mpix.h").write_text("")
    sources = [source / "coll" / f"{case.name}.c", *(source / "util" / name for name in UTILITIES)]
    words = [library.mpicc, "-w", "-O1", f"-I{folder}", f"-I{source / 'include'}", *sources, "-o", program, "-lm"]
    done = subprocess.run(list(map(str, words)), env=library.env(), capture_output=True, check=False)
    return program if done.returncode == 0 else None


def passes(library: Library, program: Path, case: Case, environ: dict[str, str]) -> bool:
    words = [*library.launch(case.ranks, oversubscribe=True)]
    words += [*(["env", *(f"{key}={value}" for key, value in environ.items())] if environ else []), str(program)]
    try:
        done = subprocess.run(
            [*words, *case.words], env=library.env(), capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0 and "No Errors" in done.stdout


def served(folder: Path) -> set[tuple[str, str]]:
    """Operations with the algorithms that served calls of a rank."""
    lines = (folder / "shim-0").read_text().splitlines() if (folder / "shim-0").exists() else []
    found = (line.split() for line in lines if not line.startswith("#"))
    return {(words[0], words[4]) for words in found if words[4] != "native"}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[2])
    parser.add_argument("source", type=Path)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--mpi", default="mpich")
    parser.add_argument("--most-ranks", type=int, default=4)
    parser.add_argument("--limit", type=float, default=280.0, help="no run begins after so many seconds")
    arguments = parser.parse_args()
    begin, library, shim = time.monotonic(), find(arguments.mpi), require_library()
    folder = arguments.directory / library.name
    folder.mkdir(parents=True, exist_ok=True)
    known = {name: algorithms(name) for name in operations()}
    runs, failed, left_out, serving = 0, [], [], set[tuple[str, str]]()
    tested = cases(arguments.source, arguments.most_ranks)
    usable = []
    for case in tested:
        program = built(case, arguments.source, folder, library)
        if program is None or not passes(library, program, case, {}):
            left_out.append(f"{case.name} {case.ranks}")
        else:
            usable.append((case, program))
    turns = max(len(each) for each in known.values())
    begun = 0
    for turn in range(turns):
        for case, program in usable:
            if turn >= max(len(known[name]) for name in case.called):
                continue
            if time.monotonic() - begin > arguments.limit:
                continue
            begun = turn
            with tempfile.TemporaryDirectory() as place:
                chosen = {name: known[name][turn % len(known[name])] for name in case.called}
                table = Path(place) / "table"
                table.write_text("".join(rule(each) for each in chosen.values()))
                environ = {
                    "LD_PRELOAD": str(shim),
                    "LEADLINE_TABLE": str(table),
                    "LEADLINE_SHIM_REPORT": place,
                }
                runs += 1
                if not passes(library, program, case, environ):
                    failed.append(f"{case.name} on {case.ranks}: {', '.join(each.name for each in chosen.values())}")
                serving |= served(Path(place))
    every = sum(len(each) for each in known.values())
    print(
        f"| {library.name} | {len(usable)} of {len(tested)} tests | {runs} runs, {begun + 1} of {turns} turns | "
        f"{len(failed)} failed | {len(serving)} of {every} algorithms served calls |"
    )
    print(f"failed: {'; '.join(failed) or 'none'}\nleft out: {', '.join(left_out) or 'none'}")


def rule(algorithm: Any) -> str:
    segment, radix = algorithm.settings
    return f"{algorithm.operation} 2 64 0 {MOST} {algorithm.name} {segment} {radix}\n"


if __name__ == "__main__":
    main()
