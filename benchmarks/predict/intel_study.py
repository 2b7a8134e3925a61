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
LONG = 1 << 20  # bytes

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


def regret(times: dict[str, float], chosen: str) -> float:
    return times[chosen] / min(times.values()) - 1


def chosen_at(modelled: dict[str, float], least_gain: float) -> str:
    """The library's own where the model gives it that much less time than his; of equal ones his."""
    (his,) = (name for name in modelled if name != "native")
    return "native" if modelled["native"] < (1 - least_gain) * modelled[his] else his


def least_regrets(points: dict[Point, dict[str, float]]) -> list[float]:
    """Of the best rule that chooses by processes and elements, which is all that a network's table can do: it does not
    know the release. With hindsight: it is made from the times that it is held to."""
    alike: dict[tuple[int, int], list[dict[str, float]]] = defaultdict(list)
    for point, times in points.items():
        alike[point[3:]].append(times)
    found = []
    for several in alike.values():
        best = min(several[0], key=lambda name: sum(regret(times, name) for times in several))
        found += [regret(times, best) for times in several]
    return found


def of_two(points: dict[Point, dict[str, float]]) -> list[tuple[float, float]]:
    """At two processes: the library's own time over his, and over the model's of a message of as many bytes."""
    given = network.named("x12core").network
    found = []
    for point, times in points.items():
        if point[3] == 2:
            message_ms = model_ms("bcast", "binomial", point, given)  # to one other process
            (his,) = (ms for name, ms in times.items() if name != "native")
            found.append((times["native"] / his, times["native"] / message_ms))
    return found


def told(regrets: list[float]) -> str:
    return f"{statistics.median(regrets):.1%}, {statistics.mean(regrets):.1%}, {max(regrets):.1%}"


def main() -> None:
    given = network.named("x12core").network
    measured = measured_ms()
    modelled = {
        point: {name: model_ms(point[0], name, point, given) for name in times} for point, times in measured.items()
    }
    print("| operation | points | followed: median, mean, worst regret | most frequent winner | its regret | error |")
    print("|---|---|---|---|---|---|")
    for operation in OTHER:
        points = {point: times for point, times in measured.items() if point[0] == operation}
        frequent = Counter(min(times, key=times.__getitem__) for times in points.values()).most_common(1)[0][0]
        followed = told([regret(times, chosen_at(modelled[point], 0)) for point, times in points.items()])
        always = told([regret(times, frequent) for times in points.values()])
        off = statistics.median(
            abs(modelled[point][name] / ms - 1) for point in points for name, ms in points[point].items()
        )
        print(f"| {operation} | {len(points)} | {followed} | {frequent} | {always} | {off:.1%} |")
    print("\nTimes in the model over those in the tables, medians, by processes:")
    for operation in OTHER:
        for processes in (2, 4, 8, 16):
            ratios = {
                size: statistics.median(
                    modelled[point][name] / ms
                    for point, times in measured.items()
                    if point[0] == operation
                    and point[3] == processes
                    and (point[4] * DOUBLE >= LONG) == (size == "long")
                    for name, ms in times.items()
                )
                for size in ("short", "long")
            }
            print(f"{operation}, {processes}: short {ratios['short']:.2f}, long {ratios['long']:.2f}")
    print("\nThe best of all rules by processes and elements, regret: median, mean, worst. At two processes: the")
    print("library's own time over his, and over a message's; least, median, most:")
    for operation in OTHER:
        points = {point: times for point, times in measured.items() if point[0] == operation}
        at_two = "; ".join(
            f"{min(one):.2f}, {statistics.median(one):.2f}, {max(one):.2f}" for one in zip(*of_two(points), strict=True)
        )
        print(f"{operation}: {told(least_regrets(points))}; {at_two}")
    print("\nWith hindsight: the library's own is chosen only where the model gives it so much less time:")
    for operation in OTHER:
        for least_gain in (0, 0.25, 0.5, 0.6, 0.75):
            found = [
                regret(times, chosen_at(modelled[point], least_gain))
                for point, times in measured.items()
                if point[0] == operation
            ]
            print(f"{operation}, {least_gain:.0%}: {told(found)}")


if __name__ == "__main__":
    main()
