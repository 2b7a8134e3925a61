"""python benchmarks/node/programs.py [--mpi NAME] [-n RANKS] [--pairs N] [--for TIME] [--differs REGEX] DIR
       NAME=COMMAND...

What `leadline tune --from` and `leadline apply` gain for unmodified programs: each is recorded, tuned for its own calls
and their arrival, and then runs by turns without and with the table. It prints a row for each: the time of the whole
program from its start to its end, the gain with its interval, the table's rules, and whether what it prints is the
same; lines that match --differs are left out of that, such as those with times. COMMAND is without a launcher;
{mpiexec} in it stands for one.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from leadline.mpi import Library, find
from leadline.statistics.interval import interval
from leadline.statistics.paired import paired_ratios
from leadline.tuning.table import read

LEADLINE = (sys.executable, "-m", "leadline")
LAUNCHER = "{mpiexec}"
TIMEOUT_S = 400


@dataclass
class Program:
    name: str
    words: list[str]
    library: Library
    folder: Path

    def run(self, before: tuple[str, ...] = ()) -> tuple[float, str]:
        """Seconds, and what it printed. Raises SystemExit if it fails."""
        begin = time.monotonic()
        done = subprocess.run(
            [*before, *self.words],
            cwd=self.folder,
            env=self.library.env(),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{self.name}: code {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")
        return time.monotonic() - begin, done.stdout


def program_of(given: str, library: Library, ranks: int, directory: Path) -> Program:
    name, _, command = given.partition("=")
    command = command if LAUNCHER in command else f"{LAUNCHER} {command}"
    words = shlex.split(command.replace(LAUNCHER, shlex.join(library.launch(ranks))))
    folder = directory / name
    folder.mkdir(parents=True, exist_ok=True)
    return Program(name, words, library, folder.resolve())


def row_of(program: Program, limit: str, pairs: int, differs: str) -> str:
    recording, table = program.folder / "recorded", program.folder / "table.toml"
    if not recording.exists():
        program.run((*LEADLINE, "record", "-q", "-o", str(recording), "--"))
    if not table.exists():
        words = [*LEADLINE, "tune", "--from", str(recording), "--for", limit, "-o", str(table)]
        subprocess.run(words, check=True, env=program.library.env())
    apply = (*LEADLINE, "apply", str(table), "--quiet", "--report", str(program.folder / "applied.json"), "--")
    ways: dict[bool, tuple[str, ...]] = {False: (), True: apply}
    times: dict[bool, list[float]] = {False: [], True: []}
    printed: set[str] = set()
    for turn in range(pairs):
        for applied in (False, True) if turn % 2 == 0 else (True, False):
            took, text = program.run(ways[applied])
            times[applied].append(took)
            printed.add("\n".join(line for line in text.splitlines() if not differs or not re.search(differs, line)))
    gain = interval([paired_ratios(times[False], times[True])])
    rules = ", ".join(f"{rule.operation} {rule.name}" for rule in read(table).rules) or "none"
    shown = "–"
    if gain is not None:
        shown = f"{gain.median:.3f}" + ("" if gain.low is None else f" ({gain.low:.3f} to {gain.high:.3f})")
    medians = [sorted(times[way])[pairs // 2] for way in (False, True)]
    same = "the same" if len(printed) == 1 else "differs"
    seconds = f"{medians[0]:.2f} s | {medians[1]:.2f} s"
    return f"| {program.name} | {program.library.name} | {seconds} | {shown} | {rules} | {same} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[3])
    parser.add_argument("directory", type=Path)
    parser.add_argument("programs", nargs="+", metavar="NAME=COMMAND")
    parser.add_argument("--mpi", default="mpich")
    parser.add_argument("-n", dest="ranks", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--for", dest="limit", default="90s", help="of the tuning")
    parser.add_argument("--differs", default="", help="lines of output that may differ")
    arguments = parser.parse_args()
    library = find(arguments.mpi)
    print("| program | library | unchanged | with the table | gain | rules | output |\n|---|---|---|---|---|---|---|")
    for given in arguments.programs:
        program = program_of(given, library, arguments.ranks, arguments.directory)
        print(row_of(program, arguments.limit, arguments.pairs, arguments.differs), flush=True)


if __name__ == "__main__":
    main()
