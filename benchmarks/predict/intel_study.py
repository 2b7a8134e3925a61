"""python benchmarks/predict/intel_study.py

What following the model would have cost in A. V. Leus's tables of Intel MPI: the network is that of his table 1 (the
preset x12core, messages between two processes), the operations are those of his other tables, up to 16 processes. The
library's own algorithm is taken to be the one that `leadline predict` takes where nothing is known. Regret is how much
longer than the best one the chosen algorithm took; beside it, that of always choosing the most frequent winner.
"""

from __future__ import annotations

import csv
import statistics
from collections import Counter, defaultdict
from pathlib import Path

from leadline import _core, network

TABLES = Path(__file__).resolve().parents[2] / "python" / "leadline" / "bench" / "studies"
DOUBLE = 8
SHORT_BCAST, LONG_BCAST, FEW_BCAST, SHORT_SUM = 12 << 10, 512 << 10, 8, 2 << 10
OTHER = {"bcast": "binary_tree_async", "allreduce": "rabenseifner"}
MOST_PROCESSES = 16

Point = tuple[str, str, str, int, int]  # operation, cluster, version, processes, elements


def usual(operation: str, processes: int, n_bytes: int) -> str:
    """As in src/replay/translated_collectives.cpp."""
    if operation == "allreduce":
        return "recursive_doubling" if n_bytes <= SHORT_SUM else "rabenseifner"
    if n_bytes < SHORT_BCAST or processes < FEW_BCAST:
        return "binomial"
    power = processes & (processes - 1) == 0
    return "scatter_recursive_doubling" if n_bytes < LONG_BCAST and power else "scatter_ring"


def measured_ms() -> dict[Point, dict[str, float]]:
    found: dict[Point, dict[str, float]] = defaultdict(dict)
    for number in (3, 5, 7, 8):
        with (TABLES / f"intel_mpi_table{number}.csv").open() as rows:
            for row in csv.DictReader(rows):
                point = (row["operation"], row["cluster"], row["version"], int(row["processes"]), int(row["elements"]))
                if point[3] <= MOST_PROCESSES:
                    found[point][row["algorithm"]] = float(row["time_ms"])
    return {point: times for point, times in found.items() if len(times) > 1}


def model_ms(operation: str, algorithm: str, point: Point, given: _core.Network) -> float:
    name = usual(operation, point[3], point[4] * DOUBLE) if algorithm == "native" else algorithm
    ns = _core.collective_model_ns(operation, name, point[3], point[4], DOUBLE, 0, given)
    assert ns > 0, (operation, name, point)
    return ns * 1e-6


def main() -> None:
    given = network.named("x12core").network
    measured = measured_ms()
    print("| operation | points | followed: median, mean, worst regret | most frequent winner | its regret | error |")
    print("|---|---|---|---|---|---|")
    for operation in OTHER:
        points = {point: times for point, times in measured.items() if point[0] == operation}
        winners = Counter(min(times, key=times.__getitem__) for times in points.values())
        frequent = winners.most_common(1)[0][0]
        followed: list[float] = []
        always: list[float] = []
        errors: list[float] = []
        for point, times in points.items():
            modelled = {name: model_ms(operation, name, point, given) for name in times}
            chosen = min(sorted(modelled, key="native".__eq__), key=modelled.__getitem__)  # of equal ones his
            best = min(times.values())
            followed.append(times[chosen] / best - 1)
            always.append(times[frequent] / best - 1)
            errors += [abs(modelled[name] / ms - 1) for name, ms in times.items()]
        regrets = [
            f"{statistics.median(each):.1%}, {statistics.mean(each):.1%}, {max(each):.1%}"
            for each in (followed, always)
        ]
        off = statistics.median(errors)
        print(f"| {operation} | {len(points)} | {regrets[0]} | {frequent} | {regrets[1]} | {off:.1%} |")


if __name__ == "__main__":
    main()
