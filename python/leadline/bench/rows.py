"""Turns launches into rows: a row for each point and candidate (docs/tune/bench.md gives their shape)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from leadline.bench.asking import POINT_TO_POINT, Candidate
from leadline.bench.bounds import Model, Network, as_dict, bound_us
from leadline.bench.launching import NO_TIME, Launch, Noise, Samples
from leadline.runs.interruption import Interruption
from leadline.statistics.interval import Interval, interval
from leadline.statistics.paired import paired_ratios

SCHEMA = 1
US = 1e-3  # of a nanosecond


@dataclass(frozen=True)
class Asked:
    """The request. base: index of the candidate that the others are compared with.

    arrivals: by size, if ranks arrive apart: patterns, microseconds by rank.
    dims: sides of the ranks' grid, of an operation with neighbours.
    left_out: by size, if not all candidates are measured everywhere: the numbers of those that are not.
    """

    operation: str
    sizes: tuple[int, ...]
    candidates: tuple[Candidate, ...]
    processes: int
    library: str
    seed: int
    base: int = 0
    arrivals: tuple[tuple[tuple[float, ...], ...], ...] = ()
    dims: tuple[int, ...] = ()
    left_out: tuple[frozenset[int], ...] = ()

    def is_left_out(self, point: int, candidate: int) -> bool:
        return bool(self.left_out) and candidate in self.left_out[point]


@dataclass
class Measurement:
    """The result of measure(). rows: as in `leadline bench --json`. failed: why there are fewer launches, or "".

    interruption: the signal that ended it early, if any. Whoever has kept what is finished passes it on.
    on_more_ranks: the library's own on more ranks, if that was asked for.
    """

    asked: Asked
    launches: list[Launch]
    network: Network | None
    settings: dict[str, Any]
    rows: list[dict[str, Any]] = field(default_factory=list)
    failed: str = ""
    interruption: Interruption = field(default_factory=Interruption)
    on_more_ranks: Measurement | None = None

    @property
    def oversubscribed(self) -> bool:
        return any(launch.oversubscribed for launch in self.launches)

    @property
    def wrong(self) -> list[dict[str, Any]]:
        """Rows whose results were wrong."""
        return [row for row in self.rows if row["correct"] is False]

    def samples(self) -> list[dict[str, Any]]:
        """Every raw sample: operation, algorithm, bytes, processes, library, launch, round, time_us (None: late)."""
        found = []
        for number, launch in enumerate(self.launches):
            for (point, candidate), of in sorted(launch.samples.items()):
                for round_, ns in enumerate(of.times_ns):
                    found.append(
                        {
                            "operation": self.asked.operation,
                            "algorithm": str(self.asked.candidates[candidate]),
                            "bytes": self.asked.sizes[point],
                            "processes": self.asked.processes,
                            "library": self.asked.library,
                            "launch": number,
                            "round": round_,
                            "time_us": None if ns is None else ns * US,
                            "late": ns is None,
                            "correct": of.correct,
                        }
                    )
        return found

    def document(self) -> dict[str, Any]:
        """The object that --json prints."""
        return {
            "schema": SCHEMA,
            "operation": self.asked.operation,
            "processes": self.asked.processes,
            "library": self.asked.library,
            "library_version": next((launch.library for launch in self.launches if launch.library), ""),
            "settings": self.settings,
            "failed": self.failed or None,
            "machine": machine(self.launches),
            "network": None if self.network is None else as_dict(self.network),
            "arrivals": arrivals(self.asked, self.launches),
            "rows": self.rows,
        }


def arrivals(asked: Asked, launches: Sequence[Launch]) -> list[dict[str, Any]]:
    """Of each size whose ranks arrive apart: its patterns, and how long after the start each rank began the base at the
    least in all rounds (None: it was not measured)."""
    found = []
    for point, patterns in enumerate(asked.arrivals):
        if not patterns:
            continue
        began = [each for launch in launches if (each := launch.began_us.get((point, asked.base)))]
        least = [min(of_rank) for of_rank in zip(*began, strict=True)] if began else None
        found.append({"bytes": asked.sizes[point], "late_us": [list(each) for each in patterns], "began_us": least})
    return found


def machine(launches: Sequence[Launch]) -> dict[str, Any]:
    """The machine and its noise: that of the worst rank of each launch, and of the worst launch."""
    noise = [found for launch in launches for found in launch.noise]
    first = launches[0] if launches else Launch()
    return {
        "hosts": first.hosts,
        "ranks_on_host": first.ranks_on_host,
        "cores_on_host": first.cores_on_host,
        "oversubscribed": any(launch.oversubscribed for launch in launches),
        "clock_error_us": max((launch.clock_error_ns for launch in launches), default=0) * US,
        "clock_offset_us": max((launch.clock_offset_ns for launch in launches), default=0) * US,
        "noise": _noise(noise),
    }


def _noise(noise: Sequence[Noise]) -> dict[str, float] | None:
    if not noise:
        return None
    return {
        "lost_share_median": sorted(found.lost for found in noise)[len(noise) // 2],
        "lost_share_worst": max(found.lost for found in noise),
        "interruptions_per_s_worst": max(found.interruptions_per_s for found in noise),
        "longest_us": max(found.longest_us for found in noise),
    }


def rows_of(
    asked: Asked, launches: Sequence[Launch], network: Network | None, model: Model | None = None
) -> list[dict[str, Any]]:
    """Rows in the order of sizes, then of candidates.   network: for bounds.   model: for model_us, which rows have if
    it is given."""
    return [
        _row(asked, launches, network, model, point, candidate)
        for point in range(len(asked.sizes))
        for candidate in range(len(asked.candidates))
        if not asked.is_left_out(point, candidate)
    ]


def is_better(launch: Launch, number: int, point: int, candidate: int, asked: Asked, perhaps: bool = False) -> bool:
    """Whether the row is better than the base in launch `number`: correct, with the interval of the paired ratios
    above 1; perhaps: not below."""
    if perhaps and launch.samples.get((point, candidate), Samples()).problem == NO_TIME:
        return True
    base, ours = (launch.samples.get((point, each), Samples()) for each in (asked.base, candidate))
    if ours.problem or not ours.correct or not base.correct:
        return False
    ratio = _launch_ratio(number, paired_ratios(base.times_ns, ours.times_ns), asked.seed)
    end = ratio["high" if perhaps else "low"]
    return perhaps if end is None else bool(end > 1)


def _row(
    asked: Asked,
    launches: Sequence[Launch],
    network: Network | None,
    model: Model | None,
    point: int,
    candidate: int,
) -> dict[str, Any]:
    n_bytes = asked.sizes[point]
    of_launches = [launch.samples.get((point, candidate), Samples()) for launch in launches]
    base = [launch.samples.get((point, asked.base), Samples()) for launch in launches]
    problem = next((samples.problem for samples in of_launches if samples.problem), "")
    correct = None if problem else all(samples.correct for samples in of_launches)
    times = [[ns * US for ns in samples.times_ns if ns is not None] for samples in of_launches]
    usable = bool(correct) and all(samples.correct for samples in base)
    time = interval(times, seed=asked.seed) if correct else None
    bound = None if network is None else bound_us(asked.operation, n_bytes, asked.processes, network, asked.dims)
    by_launch = [
        paired_ratios(theirs.times_ns, ours.times_ns) if usable and ours.times_ns else []
        for theirs, ours in zip(base, of_launches, strict=True)
    ]
    ratio = interval(by_launch, seed=asked.seed)
    row: dict[str, Any] = {
        "operation": asked.operation,
        "algorithm": str(asked.candidates[candidate]),
        "bytes": n_bytes,
        "processes": asked.processes,
        "library": asked.library,
        "median_us": None if time is None else time.median,
        "low_us": None if time is None else time.low,
        "high_us": None if time is None else time.high,
        "samples": sum(len(group) for group in times),
        "late": sum(samples.late for samples in of_launches),
        "correct": correct,
        "problem": problem or _problem(correct, time, usable),
        "bound_us": bound,
        "percent_of_bound": None if time is None or not bound or time.median <= 0 else 100 * bound / time.median,
        "ratio_to_native": None if ratio is None else ratio.as_dict(),
        "ratio_by_launch": [
            _launch_ratio(number, group, asked.seed) for number, group in enumerate(by_launch) if usable and group
        ],
    }
    if model is not None:
        row["model_us"] = model.time_us(
            asked.operation,
            asked.candidates[candidate],
            n_bytes,
            asked.processes,
            max((launch.hosts for launch in launches), default=1),
        )
    if asked.operation in POINT_TO_POINT:
        row["bandwidth_mb_s"] = None if time is None or time.median <= 0 else n_bytes / time.median
    return row


def _problem(correct: bool | None, time: Interval | None, usable: bool) -> str | None:
    if correct is False:
        return "wrong result; times discarded"
    if time is None:
        return "a rank started late in every sample"
    return None if usable else "its baseline gave a wrong result"


def _launch_ratio(number: int, ratios: list[float], seed: int) -> dict[str, Any]:
    found = interval([ratios], seed=seed + number, resamples=400)
    none: dict[str, Any] = {"median": None, "low": None, "high": None}
    return {"launch": number, **(none if found is None else found.as_dict()), "rounds": len(ratios)}
