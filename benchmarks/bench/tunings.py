"""Checks `leadline tune`: whether two tunings agree, and the worth of their tables in fresh launches.

Every point of the tunings (operation, bytes, ranks) is measured again in separate launches: the algorithms of both
tables and the library's own, by turns.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table as Printed

import leadline.mpi
from bench.applied import measure_applied
from leadline.bench import Interval, Measurement, interval, measure
from leadline.operations import operations
from leadline.statistics.paired import paired_ratios
from leadline.tuning.table import Table
from leadline.tuning.tune import SIZES, Wanted, tune

OPERATIONS = tuple(operations())
SEEDS = (1, 5001)  # of the two tunings
FRESH_SEED = 9001
ALIKE = 0.05  # two choices are worth the same if their times are so close
ROUNDS = 60
SECONDS = 1.0  # of a size in a launch


@dataclass(frozen=True)
class Found:
    """One point. choices: of the two tables. gains: library's own time / theirs. apart: second's time / first's."""

    library: str
    operation: str
    n_bytes: int
    processes: int
    choices: tuple[str, str]
    gains: tuple[Interval | None, Interval | None]
    apart: Interval | None

    @property
    def agree(self) -> bool:
        if self.choices[0] == self.choices[1]:
            return True
        return self.apart is not None and abs(self.apart.median - 1) <= ALIKE

    @property
    def slower(self) -> bool:
        """Whether a table's choice is slower than the library's own, beyond the noise."""
        return any(gain is not None and gain.high is not None and gain.high < 1 for gain in self.gains)

    def as_json(self) -> dict[str, Any]:
        return {
            "library": self.library,
            "operation": self.operation,
            "bytes": self.n_bytes,
            "processes": self.processes,
            "choices": list(self.choices),
            "gains": [None if gain is None else gain.as_dict() for gain in self.gains],
            "apart": None if self.apart is None else self.apart.as_dict(),
            "agree": self.agree,
            "slower": self.slower,
        }


def measure_tunings(
    console: Console, names: Iterable[str], ranks: Sequence[int], launches: int, operations: Sequence[str] = OPERATIONS
) -> dict[str, list[dict[str, Any]]]:
    """Two tunings with each library. "tunings": a row for each of their points; "applied": as measure_applied."""
    rows, applied = [], []
    for name in names:
        library = leadline.mpi.find(name)
        tables = []
        for seed in SEEDS:
            wanted = Wanted(library, tuple(operations), ranks=tuple(ranks), seed=seed)
            tables.append(tune(wanted, lambda said: print(said, file=sys.stderr)).table)
        found = compare(library, (tables[0], tables[1]), operations, ranks, launches)
        print_tunings(console, name, found)
        rows += [each.as_json() for each in found]
        applied += measure_applied(console, library, tables[0], ranks, launches)
    return {"tunings": rows, "applied": applied}


def compare(
    library: leadline.mpi.Library,
    tables: tuple[Table, Table],
    operations: Sequence[str],
    ranks: Sequence[int],
    launches: int,
) -> list[Found]:
    found = []
    for operation in operations:
        for processes in ranks:
            groups: dict[tuple[str, str], list[int]] = defaultdict(list)
            for size in SIZES:
                groups[_choices(tables, operation, size, processes)].append(size)
            for choices, sizes in groups.items():
                names = [name for name in dict.fromkeys(choices) if name != "native"]
                if not names:
                    found += [Found(library.name, operation, n, processes, choices, (None, None), None) for n in sizes]
                    continue
                measured = measure(
                    operation, algorithms=names, sizes=sizes, ranks=processes, library=library, launches=launches,
                    rounds=ROUNDS, seconds=SECONDS, seed=FRESH_SEED,
                )  # fmt: skip
                found += [_found(library.name, measured, point, choices) for point in range(len(sizes))]
    return sorted(found, key=lambda each: (each.operation, each.processes, each.n_bytes))


def _choices(tables: tuple[Table, Table], operation: str, n_bytes: int, processes: int) -> tuple[str, str]:
    first, second = (table.choice(operation, n_bytes, processes) for table in tables)
    return (first.name if first else "native", second.name if second else "native")


def _found(library: str, measured: Measurement, point: int, choices: tuple[str, str]) -> Found:
    def ratio(one: str, other: str) -> Interval | None:
        """one's time / other's, of the same rounds."""
        names = [str(candidate) for candidate in measured.asked.candidates]
        pairs = [
            (launch.samples[point, names.index(one)], launch.samples[point, names.index(other)])
            for launch in measured.launches
        ]
        return interval([paired_ratios(a.times_ns, b.times_ns) for a, b in pairs])

    gains = tuple(None if name == "native" else ratio("native", name) for name in choices)
    apart = ratio(choices[1], choices[0]) if choices[0] != choices[1] else None
    asked = measured.asked
    return Found(library, asked.operation, asked.sizes[point], asked.processes, choices, (gains[0], gains[1]), apart)


def print_tunings(console: Console, library: str, found: Sequence[Found]) -> None:
    table = Printed(title=f"two tunings with {library}, in fresh launches: the library's own time / theirs", box=None)
    for name in ("operation", "bytes", "ranks", "first", "", "second", "", "second / first", "agree"):
        table.add_column(name, justify="left" if name in {"operation", "first", "second"} else "right")
    for each in found:
        table.add_row(
            each.operation, f"{each.n_bytes:,}", str(each.processes), each.choices[0], _figure(each.gains[0]),
            each.choices[1], _figure(each.gains[1]), _figure(each.apart), "yes" if each.agree else "no",
        )  # fmt: skip
    console.print(table)
    agree = sum(each.agree for each in found)
    best = max((gain.median for each in found for gain in each.gains if gain is not None), default=1.0)
    console.print(
        f"{agree} of {len(found)} points agree within {ALIKE:.0%}; the greatest gain: {best:.2f}; "
        f"slower than the library's own, beyond the noise: {sum(each.slower for each in found)}"
    )


def _figure(of: Interval | None) -> str:
    if of is None:
        return ""
    return f"{of.median:.2f}" + ("" if of.low is None or of.high is None else f" ({of.low:.2f}–{of.high:.2f})")
