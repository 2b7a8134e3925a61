"""python benchmarks/advise/random_faults.py [--mpi NAME]... [--seeds FIRST:LAST] [--rounds N] DIR

Programs drawn at random with one planted fault each (tests/advice/suite/random_program.py): whether the fault is
proposed first, and what it gains when carried out, beside the prediction. As in blind.py, a program is recorded and its
proposals are written to DIR before anything is measured; then both forms run by turns, without the recorder. Programs
whose mended form gains less than 2 % have no fault that counts.
"""

from __future__ import annotations

import argparse
import importlib
import json
import shlex
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blind import SUITE, TRIES, WITHOUT_ADAPTERS, Trial, seconds

from leadline.mpi import Library, find

sys.path.insert(0, str(SUITE))
drawn: Any = importlib.import_module("random_program").drawn
COUNTS = 0.02  # of the run: proposals that gain more must be worth it


def trial_of(library: Library, program: Any, name: str, directory: Path, before: list[str]) -> Trial:
    built = directory / name
    source = built.with_suffix(".c")
    source.write_text(program.text)
    flags = ["-O1", "-g", "-w", f"-I{SUITE}", str(source), "-o", str(built)]
    subprocess.run([str(library.mpicc), *flags], check=True, env=library.env())
    words = [*before, *library.launch(2), str(built), program.case]
    base, changed = ([*words, str(form), str(program.steps)] for form in (0, 1))
    return Trial(name, base, changed, {**library.env(), **WITHOUT_ADAPTERS}, printed=True)


def advice(trial: Trial, directory: Path) -> dict[str, Any] | None:
    """None: other processes had the cores each time."""
    leadline = [sys.executable, "-m", "leadline"]
    for number in range(TRIES):
        recorded = directory / f"{trial.name}-{number}"
        words = [*leadline, "record", "-o", str(recorded), "--", *trial.base]
        subprocess.run(words, cwd=directory, env=dict(trial.env), capture_output=True, check=True)
        done = subprocess.run([*leadline, "advise", str(recorded), "--json"], capture_output=True, text=True)
        if not done.returncode:
            said = json.loads(done.stdout)
            assert isinstance(said, dict)
            return said
    return None


@dataclass
class Trialled:
    """One program: what was proposed, and the gain of its mended form as a share of the recorded run."""

    name: str
    program: Any
    proposals: list[dict[str, Any]]
    gain: float

    def is_planted(self, proposal: dict[str, Any]) -> bool:
        return bool(proposal["kind"] in self.program.fault.kinds)

    @property
    def first(self) -> dict[str, Any] | None:
        """The first proposal, if it is about what was planted."""
        return next((each for each in self.proposals[:1] if self.is_planted(each)), None)

    @property
    def within(self) -> bool:
        return self.first is not None and self.first["gain_low"] <= self.gain <= self.first["gain_high"]

    @property
    def worthless(self) -> int:
        """What was not planted was not carried out, and counts, too."""
        return sum(each["gain"] > COUNTS and (not self.is_planted(each) or self.gain <= 0) for each in self.proposals)

    def row(self) -> str:
        shown = "–"
        for one in self.proposals[:1]:
            shown = f"`{one['kind']}` {one['gain']:.1%} ({one['gain_low']:.1%} to {one['gain_high']:.1%})"
        found = "yes" if self.first else "no"
        within = "yes" if self.within else "no"
        return f"| {self.name} | {self.program.fault.name} | {shown} | {found} | {self.gain:.1%} | {within} |"


def trialled(trial: Trial, program: Any, rounds: int, directory: Path) -> Trialled | None:
    said = advice(trial, directory)
    if said is None:
        return None
    kept = directory / f"{trial.name}.json"
    result = {"fault": program.fault.name, "proposals": said["proposals"], "seconds": said["seconds"]}
    kept.write_text(json.dumps(result, indent=1))  # before anything is measured
    times = [(seconds(trial, trial.base, directory), seconds(trial, trial.changed, directory)) for _ in range(rounds)]
    kept.write_text(json.dumps({**result, "times": times}, indent=1))
    base, changed = (statistics.median(each) for each in zip(*times, strict=True))
    return Trialled(trial.name, program, said["proposals"], (base - changed) / said["seconds"])


def summary(found: list[Trialled], refused: int) -> str:
    counted = [each for each in found if each.gain >= COUNTS]
    first = [each for each in found if each.first]
    above = sum(proposal["gain"] > COUNTS for each in found for proposal in each.proposals)
    close = sum(abs(each.first["gain"] - each.gain) <= 0.05 for each in first if each.first)
    return (
        f"{len(counted)} programs whose fault costs 2 % or more, planted first in "
        f"{sum(each.first is not None for each in counted)}; {refused} without advice; of {above} proposals above 2 %, "
        f"{sum(each.worthless for each in found)} worthless or not carried out; of {len(first)} planted ones "
        f"{sum(each.within for each in first)} in the interval, {close} within 5 points"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[2])
    parser.add_argument("directory", type=Path, help="for recordings and results; new")
    parser.add_argument("--mpi", action="append", default=[], help="MPI libraries; default: mpich, openmpi")
    parser.add_argument("--seeds", default="0:48")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--before", default="", help="words before each launch, such as 'nice -n -20'")
    arguments = parser.parse_args()
    directory = arguments.directory.resolve()
    directory.mkdir(parents=True)
    first, last = map(int, arguments.seeds.split(":"))
    print("| program | fault | proposed first | planted | measured | in the interval |\n|---|---|---|---|---|---|")
    found, refused = list[Trialled](), 0
    for name in arguments.mpi or ["mpich", "openmpi"]:
        library = find(name)
        if library is None:
            raise SystemExit(f"{name} is not installed")
        for seed in range(first, last):
            program = drawn(seed)
            trial = trial_of(library, program, f"{name}-{seed}", directory, shlex.split(arguments.before))
            one = trialled(trial, program, arguments.rounds, directory)
            if one is None:
                refused += 1
                continue
            found.append(one)
            print(one.row(), flush=True)
    print(summary(found, refused))


if __name__ == "__main__":
    main()
