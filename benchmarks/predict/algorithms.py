"""python benchmarks/predict/algorithms.py [--ranks N] [--steps N] [--rounds N] [--rate MBIT] DIR

Predicted against measured gains of another algorithm of a collective operation, between hosts: network namespaces of
this machine with one rank each and links of a limited rate, as in hosts.py. The program (collectives.c) sleeps and
calls the operation. It is recorded with one algorithm, which Open MPI is told by its variables; the gain of each other
one is predicted in a calibrated network (`leadline predict --network FILE --collective OPERATION=ALGORITHM`) and
written to DIR/algorithms.json. Only then Open MPI runs with each of them, by turns. It needs root.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any

from hosts import Job, calibrated, made_hosts

from leadline.figures.run import open_run
from leadline.mpi import find
from leadline.predict import Change, Replays

MIB = 1 << 20
# By operation: bytes, and Leadline's names of algorithms with Open MPI's numbers (coll_tuned). The first is recorded.
CASES: dict[str, tuple[tuple[int, ...], dict[str, int]]] = {
    "allreduce": ((MIB, 4 * MIB), {"recursive_doubling": 3, "ring": 4, "rabenseifner": 6}),
    "alltoall": ((MIB // 4, MIB), {"pairwise": 2, "linear": 1, "bruck": 3}),
    "allgather": ((MIB // 4, MIB), {"ring": 4, "recursive_doubling": 3, "bruck": 2}),
}


def environment(operation: str, number: int) -> dict[str, str]:
    return {
        "OMPI_MCA_coll": "^han",
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        f"OMPI_MCA_coll_tuned_{operation}_algorithm": str(number),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[2])
    parser.add_argument("directory", type=Path, help="for recordings and results; new; not in /tmp")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rate", type=int, default=200, help="of each link, in Mbit/s")
    parser.add_argument("--operations", default=",".join(CASES))
    arguments = parser.parse_args()
    arguments.directory.mkdir(parents=True)
    directory = arguments.directory.resolve()
    library = find("openmpi")
    if library is None:
        raise SystemExit("openmpi is not installed")
    source = Path(__file__).with_name("collectives.c")
    print("| operation | bytes | algorithm | predicted gain | measured | points off |\n|---|---|---|---|---|---|")
    with made_hosts(arguments.ranks, arguments.rate) as made:
        job = Job(made, library, directory, source, arguments.steps)
        network = calibrated(job, directory)
        plain = dict(job.environ)
        for operation in arguments.operations.split(","):
            sizes, algorithms = CASES[operation]
            for size in sizes:
                job.words = [operation, str(size), str(arguments.steps), "20000"]
                first, *others = algorithms
                job.environ = plain | environment(operation, algorithms[first])
                recorded = directory / f"{operation}-{size}"
                job.record(recorded, arguments.ranks)
                replays = Replays(open_run(recorded))
                change = Change(network=network)
                seconds = {
                    name: replays.predict(replace(change, collectives=((operation, name),)), told=False).predicted
                    for name in algorithms
                }
                predicted = {name: iteration_s(seconds[name]) for name in algorithms}
                data: dict[str, Any] = {"predicted_s": predicted, "measured_s": {}}
                kept = directory / f"{operation}-{size}.json"
                kept.write_text(json.dumps(data, indent=1) + "\n")  # before anything is measured
                measured: dict[str, list[float]] = {name: [] for name in algorithms}
                for _ in range(arguments.rounds):
                    for name, number in algorithms.items():
                        job.environ = plain | environment(operation, number)
                        measured[name].append(job.step_s(arguments.ranks))
                data["measured_s"] = measured
                data["load"] = os.getloadavg()[0]
                kept.write_text(json.dumps(data, indent=1) + "\n")
                base = statistics.median(measured[first])
                print(f"| {operation} | {size:,} | {first} | {predicted[first]:.4f} s | {base:.4f} s | |", flush=True)
                for name in others:
                    told = 1 - predicted[name] / predicted[first]
                    was = 1 - statistics.median(measured[name]) / base
                    row = f"{told:.1%} | {was:.1%} | {100 * (told - was):+.1f}"
                    print(f"| {operation} | {size:,} | {name} | {row} |", flush=True)


def iteration_s(figures: Any) -> float:
    if figures.iteration is None:
        raise SystemExit("the recording has no main loop")
    return float(figures.iteration[0])


if __name__ == "__main__":
    main()
