"""python benchmarks/advise/blind.py [--mpi NAME]... [--rounds N] [--cases NAME,...] [--program NAME BASE CHANGED] DIR

What `leadline advise` proposes first and what that gains, beside the gain measured. A trial is a program in two
forms. The first one is recorded, and the proposals are written to DIR/NAME.json. Only then both forms run in turn,
without the recorder; the file gets what was measured, and a row of a table is printed.

Trials are faults of the suite (tests/advice/suite), computing half and twice as long between their calls as there; and
programs that have both forms themselves, each form a command with its launcher (of the workloads: edited_workloads.py):

    --program miniFE 'mpiexec -n 2 ./miniFE.x nx=40' 'mpiexec -n 2 ./miniFE.x nx=40 mv_overlap_comm_comp=1'

Whether what is proposed first is what brings most takes other changes of the same program, which run in turn with both
forms; and the kinds of proposals that the changed form carries out:

    --carries miniFE overlap --rival miniFE 'other solver' 'mpiexec -n 2 ./miniFE.x nx=40 solver=2'
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from leadline.mpi import Library, find

SUITE = Path(__file__).resolve().parents[2] / "tests" / "advice" / "suite"
CASES = {  # program, steps
    "slow_rank": ("balance", 100),
    "many_small": ("exchanges", 500),
    "fields_in_a_loop": ("exchanges", 400),
    "fields_in_a_row": ("exchanges", 800),
    "receive_chain": ("order", 250),
    "synchronous_sends": ("order", 200),
    "late_sender": ("order", 200),
    "polling": ("order", 500),
    "communicator_each_step": ("objects", 1000),
    "datatype_each_step": ("objects", 200),
    "root_reads": ("files", 500),
    "small_writes": ("files", 150),
}
SLOWER = (0.5, 2.0)
LONGER = 3  # steps than in the suite
# Open MPI takes a second to look for network adapters, beside which no step shows.
WITHOUT_ADAPTERS = {"OMPI_MCA_btl": "^ofi,openib", "OMPI_MCA_mtl": "^ofi,psm,psm2"}
TIMEOUT_S = 300
TRIES = 3
WORTH = 0.01  # below which Leadline proposes nothing
DIFFER = 0.02  # shares by which medians of a few runs differ


@dataclass(frozen=True)
class Trial:
    """printed: the program's last word is its seconds, without MPI_Init.   carries: kinds of proposals that the changed
    form carries out.   rivals: other changes of the base, by what they change."""

    name: str
    base: Sequence[str]
    changed: Sequence[str]
    env: Mapping[str, str]
    printed: bool = False
    carries: Sequence[str] = ()
    rivals: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass
class Result:
    """Gains are shares of the recorded run. kind: of the first proposal; "": none. Seconds: with `printed`, as the
    program says, otherwise of the command. carried: the changed form is what was proposed."""

    name: str
    load: float
    kind: str = ""
    title: str = ""
    refused: str = ""
    gain: float = 0.0
    low: float = -WORTH
    high: float = WORTH
    whole_s: float = 0.0
    base_s: list[float] = field(default_factory=list)
    changed_s: list[float] = field(default_factory=list)
    rivals_s: dict[str, list[float]] = field(default_factory=dict)
    carried: bool = False

    def measured(self, of: Any = statistics.median, form_s: Sequence[float] | None = None) -> float:
        form_s = self.changed_s if form_s is None else form_s
        return float((of(self.base_s) - of(form_s)) / self.whole_s) if self.whole_s else 0.0

    def best_other(self) -> tuple[str, float]:
        """The change that is not what was proposed first and brings most, and what it brings."""
        gains = {label: self.measured(form_s=each) for label, each in self.rivals_s.items()}
        if not self.carried:
            gains["the changed form"] = self.measured()
        best = max(gains, key=lambda label: gains[label])
        return best, gains[best]

    @property
    def has_rivals(self) -> bool:
        """There is something to compare what was proposed first with."""
        return not self.refused and bool(self.rivals_s or not self.carried)

    @property
    def brings_most(self) -> bool | None:
        """Whether no other change brings more than what was proposed first; where nothing was, than nothing. None: what
        was proposed was not carried out."""
        if self.kind and not self.carried:
            return None
        return self.best_other()[1] <= (self.measured() if self.kind else 0.0) + DIFFER

    def rivals_row(self) -> str:
        label, gain = self.best_other()
        first = f"{self.kind} {self.measured():.1%}" if self.carried else f"{self.kind or 'nothing'} –"
        most = {True: "yes", False: "no", None: "not carried out"}[self.brings_most]
        return f"| {self.name} | {first} | {label} {gain:.1%} | {1 + len(self.rivals_s)} | {most} |"

    @property
    def within(self) -> bool:
        return not self.refused and self.low <= self.measured() <= self.high

    def row(self) -> str:
        if self.refused:
            return f"| {self.name} | no advice: {self.refused} | | | | | {self.load:.1f} |"
        said = f"{self.kind} {self.gain:.1%} ({self.low:.1%} to {self.high:.1%})" if self.kind else "nothing"
        found = f"{self.measured():.1%} | {self.measured(min):.1%} | {100 * (self.gain - self.measured()):+.1f}"
        return f"| {self.name} | {said} | {found} | {'yes' if self.within else 'no'} | {self.load:.1f} |"


def trials(arguments: argparse.Namespace) -> list[Trial]:
    before = shlex.split(arguments.before)
    given = [
        Trial(
            name,
            [*before, *shlex.split(a)],
            [*before, *shlex.split(b)],
            os.environ,
            carries=[kind for of, kinds in arguments.carries if of == name for kind in kinds.split(",")],
            rivals={label: [*before, *shlex.split(c)] for of, label, c in arguments.rival if of == name},
        )
        for name, a, b in arguments.program
    ]
    wanted = [name for name in arguments.cases.split(",") if name]
    for name in arguments.mpi or ["mpich", "openmpi"] if wanted else ():
        library = find(name)
        if library is None:
            raise SystemExit(f"{name} is not installed")
        given += [_of_suite(library, case, slower, before, arguments.directory) for case in wanted for slower in SLOWER]
    return given


def _of_suite(library: Library, case: str, slower: float, before: Sequence[str], directory: Path) -> Trial:
    program, steps = CASES[case]
    built = directory / f"{program}-{library.name}-{slower}"
    if not built.exists():
        flags = ["-O1", "-g", "-w", f"-DSLOWER={slower}", str(SUITE / f"{program}.c"), "-o", str(built)]
        subprocess.run([str(library.mpicc), *flags], check=True, env=library.env())
    words = [*before, *library.launch(2), str(built), case]
    base, changed = ([*words, str(form), str(LONGER * steps)] for form in (0, 1))
    env = {**library.env(), **WITHOUT_ADAPTERS}
    return Trial(f"{library.name}-{case}-{slower}", base, changed, env, printed=True)


def proposed(trial: Trial, directory: Path) -> Result:
    """Where other processes had the cores, it is recorded again."""
    for number in range(TRIES):
        result = _proposed(trial, directory, directory / f"{trial.name}-{number}")
        if not result.refused:
            break
    return result


def _proposed(trial: Trial, directory: Path, recorded: Path) -> Result:
    result = Result(trial.name, os.getloadavg()[0])
    leadline = [sys.executable, "-m", "leadline"]
    words = [*leadline, "record", "-o", str(recorded), "--", *trial.base]
    done = subprocess.run(words, cwd=directory, env=dict(trial.env), capture_output=True, text=True, timeout=TIMEOUT_S)
    if done.returncode:
        raise SystemExit(f"{trial.name}: {done.stderr}")
    done = subprocess.run([*leadline, "advise", str(recorded), "--json"], capture_output=True, text=True)
    if done.returncode:
        result.refused = " ".join(done.stderr.split()).rpartition("leadline: ")[2][:90]
        return result
    advice = json.loads(done.stdout)
    result.whole_s = advice["seconds"]
    if advice["proposals"]:
        first = advice["proposals"][0]
        result.kind, result.title = first["kind"], first["title"]
        result.gain, result.low, result.high = first["gain"], first["gain_low"], first["gain_high"]
        result.carried = first["kind"] in trial.carries
    return result


def seconds(trial: Trial, words: Sequence[str], directory: Path) -> float:
    began = time.perf_counter()
    done = subprocess.run(
        list(words), cwd=directory, env=dict(trial.env), capture_output=True, text=True, timeout=TIMEOUT_S
    )
    took = time.perf_counter() - began
    if done.returncode:
        raise SystemExit(f"{shlex.join(words)}: {done.stdout}{done.stderr}")
    return float(re.split(r"\s+", done.stdout.strip())[-1]) if trial.printed else took


def show(trials: Iterable[Trial], rounds: int, directory: Path) -> None:
    """Prints a row for each trial as soon as it is measured, and how many were right."""
    print("| trial | proposed first | measured, median | of the least | points off | in the interval | load |")
    print("|---|---|---|---|---|---|---|")
    results = []
    for trial in trials:
        result = proposed(trial, directory)
        kept = directory / f"{trial.name}.json"
        kept.write_text(json.dumps(asdict(result), indent=1) + "\n")  # before anything is measured
        for _ in range(rounds if not result.refused else 0):
            result.base_s.append(seconds(trial, trial.base, directory))
            result.changed_s.append(seconds(trial, trial.changed, directory))
            for label, words in trial.rivals.items():
                result.rivals_s.setdefault(label, []).append(seconds(trial, words, directory))
        kept.write_text(json.dumps(asdict(result), indent=1) + "\n")
        results.append(result)
        print(result.row(), flush=True)
    judged = [each for each in results if not each.refused]
    print(
        f"of {len(results)} trials, advice for {len(judged)}; in the interval {sum(each.within for each in judged)}; "
        f"within 5 points {sum(abs(each.gain - each.measured()) <= 0.05 for each in judged)}; "
        f"sign right {sum(not each.kind or each.measured() > 0 for each in judged)}"
    )
    show_rivals([each for each in judged if each.has_rivals])


def show_rivals(results: Sequence[Result]) -> None:
    """Where there are several changes of a program: whether what was proposed first is the one that brings most."""
    print("\n| trial | proposed first, and brings | best other change | tried | the first brings most |")
    print("|---|---|---|---|---|")
    for each in results:
        print(each.rivals_row())
    known = [each.brings_most for each in results if each.brings_most is not None]
    print(f"of {len(known)} trials, the first proposal, or none, is what brings most in {sum(known)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[2])
    parser.add_argument("directory", type=Path, help="for recordings and results; new")
    parser.add_argument("--mpi", action="append", default=[], help="MPI libraries; default: mpich, openmpi")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--cases", default=",".join(CASES), help='of the suite; "": none')
    parser.add_argument("--before", default="", help="words before each launch, such as 'nice -n -20'")
    parser.add_argument("--program", nargs=3, action="append", default=[], metavar=("NAME", "BASE", "CHANGED"))
    parser.add_argument("--carries", nargs=2, action="append", default=[], metavar=("NAME", "KIND,..."))
    parser.add_argument("--rival", nargs=3, action="append", default=[], metavar=("NAME", "WHAT", "COMMAND"))
    arguments = parser.parse_args()
    arguments.directory = arguments.directory.resolve()
    arguments.directory.mkdir(parents=True)
    show(trials(arguments), arguments.rounds, arguments.directory)


if __name__ == "__main__":
    main()
