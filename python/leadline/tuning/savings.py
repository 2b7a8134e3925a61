"""What a recorded run's collectives would save: exactly its calls, each with the library's own algorithm and with ours.

`leadline bench --from RUN` measures and says so; `leadline tune --from RUN` says what its rules save.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline.bench import measure
from leadline.bench.asking import is_measurable
from leadline.bench.grid import Dims
from leadline.bench.rows import Measurement
from leadline.errors import UsageError
from leadline.operations import operations
from leadline.runs.interruption import Interruption
from leadline.tuning.arriving import Arrivals, Point, of_sizes
from leadline.tuning.calls import Calls
from leadline.tuning.tune import Tuned


@dataclass(frozen=True)
class Saving:
    """Of one distinct call.   times: how often the rank that makes most of them does.   algorithm: "native" if none is
    clearly faster.   saved_us: of all of them, and its interval; 0 for the library's own.
    """

    call: Calls
    native_us: float
    algorithm: str = "native"
    ratio: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def total_us(self) -> float:
        return self.call.times * self.native_us

    @property
    def saved_us(self) -> tuple[float, float, float]:
        """The median, and the ends of its interval."""
        if self.algorithm == "native":
            return 0.0, 0.0, 0.0
        median, low, high = (self.ratio[key] or 1.0 for key in ("median", "low", "high"))
        return self.total_us * (1 - 1 / median), self.total_us * (1 - 1 / low), self.total_us * (1 - 1 / high)

    def as_dict(self) -> dict[str, Any]:
        saved, low, high = self.saved_us
        return {
            "operation": self.call.operation,
            "bytes": self.call.n_bytes,
            "processes": self.call.processes,
            "calls": self.call.times,
            "native_us": self.native_us,
            "algorithm": self.algorithm,
            "ratio_to_native": dict(self.ratio) or None,
            "saved_us": {"median": saved, "low": low, "high": high},
        }


@dataclass
class OfRun:
    """What was measured.   unable: calls that cannot be.   missing: those that were not, after a failure or a signal.

    iterations: of the run's main loop; None where their number is not known exactly.
    """

    library: str
    savings: list[Saving] = field(default_factory=list)
    unable: list[Calls] = field(default_factory=list)
    missing: list[Calls] = field(default_factory=list)
    iterations: int | None = None
    measurements: list[Measurement] = field(default_factory=list)
    interruption: Interruption = field(default_factory=Interruption)

    @property
    def total_us(self) -> float:
        return sum(saving.total_us for saving in self.savings)

    @property
    def saved_us(self) -> tuple[float, float, float]:
        """The sums of the medians and of the intervals' ends."""
        sums = [sum(saving.saved_us[i] for saving in self.savings) for i in range(3)]
        return sums[0], sums[1], sums[2]

    @property
    def failed(self) -> bool:
        return any(found.failed or found.wrong for found in self.measurements)

    def document(self) -> dict[str, Any]:
        saved, low, high = self.saved_us
        return {
            "schema": 1,
            "library": self.library,
            "iterations": self.iterations,
            "native_us": self.total_us,
            "saved_us": {"median": saved, "low": low, "high": high},
            "calls": [saving.as_dict() for saving in self.savings],
            "unable": [vars(call) for call in self.unable],
            "missing": [vars(call) for call in self.missing],
            "measurements": [found.document() for found in self.measurements],
        }


def split(calls: Iterable[Calls]) -> tuple[list[Calls], list[Calls]]:
    """Those that can be measured, and the others. Of nothing but a barrier there is nothing to gain."""
    with_data = [call for call in calls if call.n_bytes or not operations()[call.operation].has_data]
    able = [call for call in with_data if is_measurable(call.operation, call.n_bytes)]
    return able, [call for call in with_data if call not in able]


def measure_calls(
    calls: Sequence[Calls],
    library: Any,
    *,
    launcher: str = "",
    arrivals: Arrivals | None = None,
    grids: Mapping[int, Dims] | None = None,
    progress: Callable[[str], None] | None = None,
    **how: Any,
) -> OfRun:
    """Measures every distinct call.   launcher: with {ranks} for the number of processes.   how: as `measure` takes it.

    arrivals: patterns of those calls whose ranks do not arrive together.   grids: of ranks with neighbours, by their
    number.

    Raises UsageError, MissingPrerequisite, and MeasurementFailed where nothing was measured. A signal ends it early:
    the calls that were not measured are then missing.
    """
    able, unable = split(calls)
    found = OfRun(library.name, unable=unable)
    groups: dict[tuple[str, int], list[Calls]] = {}
    for call in able:
        groups.setdefault((call.operation, call.processes), []).append(call)
    for (operation, processes), of_group in groups.items():
        if found.interruption.signal:
            found.missing += of_group
            continue
        measured = measure(
            operation,
            sizes=[call.n_bytes for call in of_group],
            ranks=processes,
            library=library,
            launcher=shlex.split(launcher.replace("{ranks}", str(processes))) or None,
            arrivals=of_sizes(arrivals or {}, operation, processes),
            keep=True,
            progress=progress,
            dims=(grids or {}).get(processes, ()),
            **how,
        )
        found.measurements.append(measured)
        found.interruption = measured.interruption
        of_rows = savings(of_group, measured.rows)
        found.savings += of_rows
        found.missing += [call for call in of_group if all(call != saving.call for saving in of_rows)]
    found.savings.sort(key=lambda saving: -saving.saved_us[0])
    return found


def savings(
    calls: Iterable[Calls], rows: Iterable[Mapping[str, Any]], chosen: Mapping[Point, str] | None = None
) -> list[Saving]:
    """Of the calls that were measured.

    chosen: the algorithm for each point, else the one whose ratio's interval begins highest, above 1.
    """
    by_point: dict[Point, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_point.setdefault((row["operation"], row["bytes"], row["processes"]), []).append(row)
    found = []
    for call in calls:
        point = (call.operation, call.n_bytes, call.processes)
        of_point = by_point.get(point, [])
        native = next((row["median_us"] for row in of_point if row["algorithm"] == "native"), None)
        if native is None:
            continue
        better = [
            row for row in of_point if _low(row) > 1 and (chosen is None or row["algorithm"] == chosen.get(point))
        ]
        if not better:
            found.append(Saving(call, native))
            continue
        best = max(better, key=_low)
        found.append(Saving(call, native, best["algorithm"], best["ratio_to_native"]))
    return found


def _low(row: Mapping[str, Any]) -> float:
    ratio = row["ratio_to_native"]
    return 0.0 if ratio is None or row["algorithm"] == "native" else ratio["low"] or 0.0


def of_rules(tuned: Tuned, calls: Iterable[Calls]) -> OfRun:
    """What the rules of a tuning save, by the measurements that confirmed them."""
    chosen = {(c.operation, c.n_bytes, c.processes): c.algorithm for c in tuned.kept if not c.is_native}
    rows = [row for row in tuned.rows if (row["operation"], row["bytes"], row["processes"]) not in chosen]
    return OfRun(tuned.table.evidence.get("library", ""), savings(calls, [*rows, *tuned.again], chosen))


def calls_of(directory: Path, among: Sequence[str], calls: Sequence[Calls]) -> list[Calls]:
    """Those of the operations. Raises UsageError if there are none."""
    found = [call for call in calls if call.operation in among]
    if not found:
        which = among[0] if len(among) == 1 else "a collective that has algorithms here, on two or more ranks"
        raise UsageError(f"{directory} does not call {which}")
    return found
