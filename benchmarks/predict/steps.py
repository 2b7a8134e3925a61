"""python benchmarks/predict/steps.py [--mpi NAME] [--ranks N] [--few N] [--many N] [--rounds N] DIR [-- OPTIONS]
python benchmarks/predict/steps.py DIR

How far off `leadline predict --steps` is: the workload opatm is recorded with few steps, and the prediction for many is
written to DIR/steps.json. Called again, it runs with as many, a few times. Times are those of its steps, by its own
clock: that of the run with many less that of the setup. The machine must be idle, with a core for each rank, both
times. With its defaults, 816 steps should take one or two minutes, three times.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

LEADLINE = [sys.executable, "-m", "leadline"]
TIMED = re.compile(r"steps: ([\d.]+) s \(input ([\d.]+) s, setup ([\d.]+) s")


def workload(arguments: argparse.Namespace, steps: int, record: Path | None = None) -> str:
    words = [*LEADLINE, "workload", "run", "-n", str(arguments.ranks), "--mpi", arguments.mpi]
    words += ["--record", str(record)] if record else []
    words += ["opatm", "--", *arguments.options, "--steps", str(steps)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout + done.stderr


def steps_s(said: str) -> float:
    found = TIMED.search(said)
    if found is None:
        raise SystemExit(f"no times in: {said}")
    whole, reading, setup = map(float, found.groups())
    return whole - reading - setup


def predict(arguments: argparse.Namespace, kept: Path) -> None:
    arguments.directory.mkdir(parents=True, exist_ok=True)
    workload(arguments, arguments.few, arguments.directory / "few")
    words = [*LEADLINE, "predict", str(arguments.directory / "few"), "--steps", str(arguments.many), "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    data = json.loads(done.stdout)
    each = data["predicted"]["iteration"]
    given = {name: getattr(arguments, name) for name in ("mpi", "ranks", "few", "many", "rounds", "options")}
    result = {"given": given, "predicted_s": {name: arguments.many * value for name, value in each.items()}}
    kept.write_text(json.dumps(result | {"prediction": data}, indent=1) + "\n")
    print(f"predicted: {result['predicted_s']}; now call this again with the directory alone")


def measure(kept: Path, directory: Path) -> None:
    result = json.loads(kept.read_text())
    given = argparse.Namespace(directory=directory, **result["given"])
    measured = [steps_s(workload(given, given.many)) for _ in range(given.rounds)]
    kept.write_text(json.dumps(result | {"measured_s": measured}, indent=1) + "\n")
    seconds, low, high = (result["predicted_s"][name] for name in ("seconds", "low", "high"))
    median = statistics.median(measured)
    within = "in" if low <= median <= high else "not in"
    print(f"{given.few} → {given.many} steps on {given.ranks} ranks, {given.mpi}")
    print(f"predicted {seconds:.2f} s ({low:.2f} to {high:.2f}); measured {median:.2f} s, {measured}")
    print(f"{seconds / median - 1:+.1%}, {within} the interval")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[3])
    parser.add_argument("directory", type=Path, help="for recordings and results")
    parser.add_argument("--mpi", default="mpich")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--few", type=int, default=3)
    parser.add_argument("--many", type=int, default=816)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("options", nargs="*", default=["--grid", "64x64x8", "--cost", "light"])
    arguments = parser.parse_args()
    kept = arguments.directory / "steps.json"
    if kept.exists():
        measure(kept, arguments.directory)
    else:
        predict(arguments, kept)


if __name__ == "__main__":
    main()
