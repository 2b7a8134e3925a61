"""python benchmarks/predict/hosts.py [--mpi NAME] [--steps N] [--rounds N] [--rate MBIT] [--recorded N,N]
       [--wanted N,N] DIR

How far off `leadline predict --ranks` is for more hosts than were recorded. The hosts are network namespaces of this
machine, one rank on each, whose links have a limited rate in both directions. The program (tests/programs/strips.c)
sleeps instead of computing, and its ranks sleep when they wait (idle.c), so that few cores carry many hosts: it is
recorded on 4 and on 8 of them, a network is calibrated between two, and the predictions for 16 and 32 are written to
DIR/hosts.json. A run within one host is predicted for 4 hosts, too. Only then the program runs there, several times
for the time of a step, and once more recorded, for the time in each phase. It needs root. DIR must be outside of /tmp,
which each host has for itself.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from leadline._core import Network
from leadline.calibration import calibration_of, launch_all
from leadline.figures.run import open_run
from leadline.mpi import Library, find
from leadline.network import read, write
from leadline.predict import PHASES, Change, Figures, predict, predict_ranks, recorded_phases

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path.insert(0, str(TESTS))

from jobs import hosts, links  # noqa: E402

LEADLINE = [sys.executable, "-m", "leadline"]
TIMEOUT_S = 200
BURST = "8kb"  # with more, a message alone would be faster than several


class Job:
    """Runs of a program on the first so many hosts.   directory: for what is compiled.   steps: that the program says
    it took so many seconds for.   words: its arguments."""

    def __init__(self, made: hosts.Hosts, library: Library, directory: Path, source: Path, steps: int) -> None:
        self.made, self.library, self.steps = made, library, steps
        self.words: list[str] = []
        self.program = directory / source.stem
        self.idle = directory / "idle.so"
        idle = str(Path(__file__).with_name("idle.c"))
        for words in (
            ["-shared", "-fPIC", idle, "-o", str(self.idle)],
            ["-rdynamic", str(source), idle, "-o", str(self.program)],
        ):
            subprocess.run([str(library.mpicc), "-O2", "-g", *words], check=True, env=library.env())
        remote = links.remote_shell(made, directory)
        self.script = remote.with_name("idle-remote")
        self.script.write_text(f'#!/bin/sh\nLD_PRELOAD={self.idle} exec {remote} "$@"\n')
        self.script.chmod(0o755)
        self.inside = ["nsenter", "-t", str(made.login.process), "-u", "-n", "--"]
        self.environ = {**os.environ, **library.env(), **library.kind.over_hosts.environment}
        self.environ["OMPI_MCA_mpi_yield_when_idle"] = "1"  # each host takes all cores for its own

    def launch(self, ranks: int) -> list[str]:
        options = self.library.kind.over_hosts.words(
            script=str(self.script),
            here=self.made.login.address,
            hosts=[node.address for node in self.made.nodes[:ranks]],
            network=f"{hosts.NETWORK}.0/24",
        )
        return [str(self.library.launch(2)[0]), *options, "-n", str(ranks)]

    def run(self, words: list[str]) -> str:
        done = subprocess.run(
            [*self.inside, *words], env=self.environ, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def record(self, directory: Path, ranks: int) -> None:
        self.run([*LEADLINE, "record", "-o", str(directory), "--", *self.launch(ranks), *self.command])

    @property
    def command(self) -> list[str]:
        return [str(self.program), *self.words]

    def step_s(self, ranks: int) -> float:
        said = self.run([*self.launch(ranks), *self.command])
        found = re.search(r"steps: ([\d.]+) s", said)
        if found is None:
            raise SystemExit(f"no time in: {said}")
        return float(found[1]) / self.steps


def figures_of(predicted: Figures) -> dict[str, Any]:
    """Of an iteration of the main loop, in seconds, and of each phase."""
    assert predicted.iteration is not None
    iteration = dict(zip(("seconds", "low", "high"), predicted.iteration, strict=True))
    return {**iteration, "phases_s": predicted.phases_s}


def calibrated(job: Job, directory: Path) -> Network:
    """Between the first two hosts."""
    network = directory / "net.toml"
    os.environ |= job.environ
    launches = launch_all([*job.inside, *job.launch(2)], job.library, launches=1, seconds=20)
    network.write_text(write(calibration_of(launches).described))
    return read(network).network


def predictions(job: Job, directory: Path, recorded: Sequence[int], wanted: Sequence[int]) -> dict[str, dict[str, Any]]:
    """Not by the command, which refuses runs whose ranks waited for cores: here they do so while they poll."""
    change = Change(network=calibrated(job, directory))
    for ranks in recorded:
        job.record(directory / str(ranks), ranks)
    runs = [open_run(directory / str(ranks)) for ranks in recorded]
    found = {str(ranks): figures_of(predict_ranks(runs, ranks, change).whole.predicted) for ranks in wanted}
    return found | {f"{recorded[0]}, from within one host": within_one_host(job, directory, recorded[0], change)}


def within_one_host(job: Job, directory: Path, ranks: int, change: Change) -> dict[str, Any]:
    alone = directory / "one-host"
    launcher = job.library.launch(ranks, oversubscribe=True)
    job.run([*LEADLINE, "record", "-o", str(alone), "--", *launcher, *job.command])
    apart = replace(change, hosts=tuple(f"host{rank}" for rank in range(ranks)))
    return figures_of(predict(open_run(alone), apart).predicted)


@contextlib.contextmanager
def made_hosts(number: int, rate: int) -> Iterator[hosts.Hosts]:
    """rate: of each link, in Mbit/s."""
    if not hosts.are_possible():
        raise SystemExit("hosts cannot be made here: it needs root and virtual network cables")
    with hosts.made(number) as made:
        for at, node in enumerate(made.nodes, 1):
            node.run(["ip", "-6", "addr", "flush", "dev", "eth0"])
            links.limit(node, "eth0", f"{rate}mbit", BURST)
            links.limit(made.login, f"w{at}", f"{rate}mbit", BURST)
        yield made


def numbers(given: str) -> tuple[int, ...]:
    return tuple(map(int, given.split(",")))


def report(kept: Path) -> None:
    data = json.loads(kept.read_text())
    print("| ranks | predicted | measured | error | load |\n|---|---|---|---|---|")
    for name, each in data["predicted"].items():
        measured = statistics.median(data["measured_s"][name.partition(",")[0]])
        interval = f"({each['low'] * 1e3:.1f} to {each['high'] * 1e3:.1f})"
        error = each["seconds"] / measured - 1
        print(
            f"| {name} | {each['seconds'] * 1e3:.1f} ms {interval} | {measured * 1e3:.1f} ms | {error:+.1%} "
            f"| {data['load'][name.partition(',')[0]]:.1f} |"
        )
    print("\n| ranks | phase | predicted | measured | error |\n|---|---|---|---|---|")
    for name, each in data["predicted"].items():
        measured_s = data["phases_s"][name.partition(",")[0]]
        for phase in PHASES:
            predicted, measured = each["phases_s"].get(phase), measured_s.get(phase)
            if predicted and measured:
                ms = f"{predicted * 1e3:,.1f} ms | {measured * 1e3:,.1f} ms"
                print(f"| {name} | {phase} | {ms} | {predicted / measured - 1:+.1%} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[2])
    parser.add_argument("directory", type=Path, help="for recordings and results; new")
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--values", type=int, default=1 << 18, help="of 8 bytes, of all ranks")
    parser.add_argument("--sleep-us", type=int, default=6_400_000, help="in a step, of all ranks")
    parser.add_argument("--rate", type=int, default=200, help="of each link, in Mbit/s")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--recorded", type=numbers, default=(4, 8), help="ranks of the recordings")
    parser.add_argument("--wanted", type=numbers, default=(16, 32), help="ranks of the predictions")
    arguments = parser.parse_args()
    arguments.directory.mkdir(parents=True)
    directory, kept = arguments.directory.resolve(), arguments.directory / "hosts.json"
    library = find(arguments.mpi)
    if library is None:
        raise SystemExit(f"{arguments.mpi} is not installed")
    with made_hosts(max(arguments.wanted), arguments.rate) as made:
        job = Job(made, library, directory, TESTS / "programs" / "strips.c", arguments.steps)
        job.words = [str(arguments.steps), str(arguments.values), str(arguments.sleep_us)]
        predicted = predictions(job, directory, arguments.recorded, arguments.wanted)
        data: dict[str, dict[str, Any]] = {"predicted": predicted, "measured_s": {}, "phases_s": {}, "load": {}}
        kept.write_text(json.dumps(data, indent=1) + "\n")  # before anything is measured
        for ranks in (arguments.recorded[0], *arguments.wanted):
            data["measured_s"][str(ranks)] = [job.step_s(ranks) for _ in range(arguments.rounds)]
            again = directory / f"{ranks}-again"
            job.record(again, ranks)
            data["phases_s"][str(ranks)] = recorded_phases(open_run(again))
            data["load"][str(ranks)] = os.getloadavg()[0]
            kept.write_text(json.dumps(data, indent=1) + "\n")
    report(kept)


if __name__ == "__main__":
    main()
