"""python benchmarks/predict/predicted.py [--mpi NAME]... [--rounds N] [--kinds NAME,...] [--before WORDS] DIR

Predicted against measured gains of changes to a program of two ranks (changes.c). Each program is recorded as it is,
and the prediction of its change is written to DIR/NAME.json. Only then the program runs as it is and changed, in turn;
the file gets what was measured, and a line of a table is printed. Gains are those of the steps, without MPI_Init.

--program NAME OPTIONS BASE CHANGED: another program, its command as it is and changed; OPTIONS of `leadline predict`.
Its gain is that of the whole command.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from leadline.mpi import Library, find

PROGRAM = Path(__file__).resolve().parent / "changes.c"
TIMEOUT_S = 40


@dataclass(frozen=True)
class Case:
    kind: str
    options: tuple[str, ...]  # of `leadline predict`
    steps: int
    sizes: tuple[int, ...]


CASES = (
    Case("pack", ("--pack", "exchange_fields"), 300, (1_000, 8_000, 72_000)),
    Case("merge", ("--merge", "exchange_row"), 1_000, (1_000, 8_000, 72_000)),
    Case("nonblocking", ("--nonblocking", "exchange_in_turn"), 1_000, (1_000, 8_000, 72_000)),
    Case("gather", ("--gather", "collect"), 1_000, (1_000, 8_000, 72_000)),
    Case("overlap", ("--overlap", "exchange_and_compute"), 1_000, (8_000, 72_000, 1_000_000)),
    Case("barriers", ("--without", "synchronise"), 1_000, (8_000,)),
    Case("relax", ("--relax", "send_synchronously"), 1_000, (1_000,)),
    Case("windows", ("--without", "make_window", "--without", "free_window"), 1_000, (8_000,)),
)


@dataclass(frozen=True)
class Commands:
    """As it is, and changed."""

    base: list[str]
    changed: list[str]
    env: dict[str, str] | None = None


@dataclass
class Result:
    """Gains are shares of the time of the steps as they are, or of the whole of a program that does not say what its
    steps took; seconds likewise."""

    library: str
    kind: str
    bytes: int
    refused: str = ""
    predicted: float | None = None
    low: float | None = None  # of the interval
    high: float | None = None
    error_of_base: float | None = None  # of the main loop
    base_s: list[float] = field(default_factory=list)
    changed_s: list[float] = field(default_factory=list)

    @property
    def measured(self) -> float:
        return 1 - statistics.median(self.changed_s) / statistics.median(self.base_s)

    def line(self) -> str:
        name = f"| {self.library} | {self.kind} | {self.bytes:,} | "
        measured = f"{self.measured:.1%} | {statistics.median(self.base_s):.4f} s |"
        if self.predicted is None or self.low is None or self.high is None:
            return f"{name}refused: {self.refused} | | {measured}"
        within = "yes" if self.low <= self.measured <= self.high else "no"
        predicted = f"{self.predicted:.1%} ({self.low:.1%} to {self.high:.1%}) | {self.error_of_base or 0:+.1%} | "
        return f"{name}{predicted}{measured} {100 * (self.predicted - self.measured):+.1f} | {within} |"


def launch(library: Library) -> list[str]:
    """On a core each, so that ranks that nothing else may interrupt do not meet on one."""
    launcher, *others = library.launch(2)
    return [launcher, "--bind-to", "core", *others]


def seconds_of(words: list[str], env: dict[str, str] | None, *, whole: bool) -> float:
    began = time.perf_counter()
    done = run(words, env)
    took = time.perf_counter() - began
    found = re.search(r"steps: ([\d.]+) s", done.stdout)
    if done.returncode or not (found or whole):
        raise SystemExit(f"{shlex.join(words)}: {done.stdout}{done.stderr}")
    return took if whole or not found else float(found[1])


def run(words: list[str], env: dict[str, str] | None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, env=env, capture_output=True, text=True, timeout=TIMEOUT_S)


def predict(result: Result, commands: Commands, options: Sequence[str], recorded: Path, *, whole: bool) -> Result:
    leadline = [sys.executable, "-m", "leadline"]
    record = run([*leadline, "record", "-o", str(recorded), "--", *commands.base], commands.env)
    if record.returncode:
        result.refused = record.stderr.strip()
        return result
    done = run([*leadline, "predict", str(recorded), *options, "--json"], commands.env)
    if done.returncode:
        result.refused = done.stderr.strip()
        return result
    found = json.loads(done.stdout)
    base, predicted = (found[each] if whole else found[each]["iteration"] for each in ("base", "predicted"))
    result.error_of_base = found["error_of_base"]["whole" if whole else "loop"]
    result.predicted = 1 - predicted["seconds"] / base["seconds"]
    result.low, result.high = (1 - predicted[end] / base["seconds"] for end in ("high", "low"))
    return result


def compare(
    result: Result, commands: Commands, options: Sequence[str], arguments: argparse.Namespace, *, whole: bool = False
) -> Result:
    name = f"{result.library}-{result.kind}-{result.bytes}"
    predict(result, commands, options, arguments.directory / name, whole=whole)
    kept = arguments.directory / f"{name}.json"
    kept.write_text(json.dumps(asdict(result), indent=1) + "\n")  # before anything is measured
    for _ in range(arguments.rounds):
        result.base_s.append(seconds_of(commands.base, commands.env, whole=whole))
        result.changed_s.append(seconds_of(commands.changed, commands.env, whole=whole))
    kept.write_text(json.dumps(asdict(result), indent=1) + "\n")
    return result


def compare_case(library: Library, case: Case, size: int, arguments: argparse.Namespace, program: Path) -> Result:
    words = [*launch(library), *shlex.split(arguments.before), str(program), case.kind]
    base, changed = ([*words, way, str(size), str(case.steps), str(arguments.fields)] for way in ("base", "changed"))
    return compare(
        Result(library.name, case.kind, size), Commands(base, changed, library.env()), case.options, arguments
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[2])
    parser.add_argument("directory", type=Path, help="for recordings and results; new")
    parser.add_argument("--mpi", action="append", default=[], help="MPI libraries; default: mpich, openmpi")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sizes", default="", help="bytes of messages, such as 2000,24000; default: each kind's own")
    parser.add_argument("--fields", type=int, default=51, help="that are packed")
    parser.add_argument("--kinds", default=",".join(case.kind for case in CASES))
    parser.add_argument("--before", default="", help="words before each rank's program, such as 'chrt -f 20'")
    parser.add_argument(
        "--program", nargs=4, action="append", default=[], metavar=("NAME", "OPTIONS", "BASE", "CHANGED")
    )
    arguments = parser.parse_args()
    arguments.directory.mkdir(parents=True)
    print("| library | change | bytes | predicted | base off | measured | steps | points off | in the interval |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in arguments.mpi or ["mpich", "openmpi"]:
        library = find(name)
        if library is None:
            raise SystemExit(f"{name} is not installed")
        program = arguments.directory / f"changes-{name}"
        compile_it = [str(library.mpicc), "-O2", "-g", str(PROGRAM), "-o", str(program)]
        subprocess.run(compile_it, check=True, env=library.env())
        for case in CASES:
            sizes = tuple(map(int, arguments.sizes.split(","))) if arguments.sizes else case.sizes
            for size in sizes if case.kind in arguments.kinds.split(",") else ():
                print(compare_case(library, case, size, arguments, program).line(), flush=True)
    for name, options, base, changed in arguments.program:
        commands = Commands(shlex.split(base), shlex.split(changed))
        print(compare(Result(name, "", 0), commands, shlex.split(options), arguments, whole=True).line(), flush=True)


if __name__ == "__main__":
    main()
