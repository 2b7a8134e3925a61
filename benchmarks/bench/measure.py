"""Runs the cases: base and recorded alternately."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from bench.cases import SIZE_CASE, Case
from bench.estimate import Cost, cost
from bench.program import Program, Result
from leadline.runs.order import Order, Turn, turns
from leadline.statistics.median import median

Clock = Literal["wall_ns", "cpu_ns"]


@dataclass(frozen=True)
class CaseCost:
    """The cost that recording adds to one case with one library."""

    case: Case
    library: str
    typical: Cost  # of the median block of each launch
    best: Cost  # of its fastest block: what remains where the machine does other things too
    launches: dict[str, list[float]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def verdict(self) -> str:
        """ "yes", "missed", or "unclear" if the interval or the machine's noise is too wide to decide; "": no limit."""
        t = self.typical
        if self.case.ratio is None and self.case.added_ns is None:
            return ""
        if self.case.ratio is not None:
            limit, found, noise = self.case.ratio, t.ratio, t.noise / t.base.value
            margin = limit - 1
        else:
            limit, found, noise = self.case.added_ns or 0.0, t.added, t.noise
            margin = limit
        if noise > margin or found.low <= limit < found.high:
            return "unclear"
        return "yes" if found.high <= limit else "missed"


def measure_case(program: Program, case: Case, pairs: int, clock: Clock) -> CaseCost:
    """Measure one case. Raises MeasurementFailed if a launch fails."""
    results: dict[bool, list[Result]] = {False: [], True: []}
    last = Turn(False, pairs, 0, pairs, 2)  # so that every recorded launch has one before it and one after it
    for turn in [*turns([False, True], pairs, Order.SAME), last]:
        results[turn.candidate].append(program.run(case.name, recorded=turn.candidate))
    base, recorded = results[False], results[True]
    medians = [[_over_blocks(r, clock, median) for r in of] for of in (base, recorded)]
    fastest = [[_over_blocks(r, clock, min) for r in of] for of in (base, recorded)]
    launches = {"base": medians[0], "recorded": medians[1], "base_best": fastest[0], "recorded_best": fastest[1]}
    return CaseCost(case, program.library.name, cost(*medians), cost(*fastest), launches)


def _over_blocks(result: Result, clock: Clock, choose: Callable[[list[float]], float]) -> float:
    """ns per call: chosen over blocks, mean over ranks."""
    times: list[list[float]] = getattr(result, clock)
    return statistics.fmean(choose(blocks) for blocks in times)


@dataclass(frozen=True)
class MemoryCost:
    """Largest resident set of a rank, kB, its end (writing the trace) included."""

    case: str
    library: str
    base_kb: int
    recorded_kb: int

    @property
    def added_kb(self) -> int:
        return self.recorded_kb - self.base_kb


def measure_memory(program: Program, case: str, pairs: int) -> MemoryCost:
    peaks: dict[bool, list[float]] = {False: [], True: []}
    for turn in turns([False, True], pairs):
        peaks[turn.candidate].append(max(program.run(case, "--peak", recorded=turn.candidate).peak_kb))
    return MemoryCost(case, program.library.name, int(median(peaks[False])), int(median(peaks[True])))


@dataclass(frozen=True)
class TraceSize:
    """Bytes of the whole run directory of the step program."""

    library: str
    steps: int
    calls: int  # of one rank
    total_bytes: int


def measure_size(program: Program, steps: int) -> TraceSize:
    result = program.run(SIZE_CASE, "--blocks", "1", "--no-warm-up", "--iterations", str(steps), recorded=True)
    return TraceSize(program.library.name, steps, result.calls, result.trace_bytes)
