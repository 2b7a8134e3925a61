"""One launch of the measuring program: its plan, and its results."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from leadline.bench.asking import Candidate
from leadline.errors import MeasurementFailed
from leadline.runs.launch import Launch as ProgramLaunch
from leadline.runs.outcome import Ending, Outcome

NO_TIME = "no time was left"  # the problem of a point that could not begin within the plan's time


@dataclass(frozen=True)
class Point:
    """operation: as the program knows it.   arrivals: patterns, microseconds by rank; they take turns.

    seconds: at most; 0: as the plan has it.
    """

    operation: str
    n_bytes: int
    candidates: tuple[Candidate, ...]
    arrivals: tuple[tuple[float, ...], ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class Plan:
    """The plan of one launch; docs/tune/bench.md explains its parts."""

    points: tuple[Point, ...]
    rounds: int = 50
    seconds: float = 2.5
    within_s: float = 0.0
    repeat: int = 0
    skew_us: float = 0.0
    start: str = "announced"
    seed: int = 1
    root: int = 0
    nodes: int = 0
    dims: tuple[int, ...] = ()
    measured_clocks: bool = False
    buffers: str = "reused"
    network: bool = False
    calibrate_s: float = 0.0

    def text(self) -> str:
        lines = [
            "leadline-bench 1",
            f"rounds {self.rounds}",
            f"seconds {self.seconds}",
            f"repeat {self.repeat}",
            f"skew_us {self.skew_us}",
            f"start {self.start}",
            f"seed {self.seed}",
            f"root {self.root}",
            f"nodes {self.nodes}",
            f"clocks {'measured' if self.measured_clocks else 'shared'}",
            f"buffers {self.buffers}",
            f"network {int(self.network)}",
        ]
        if self.within_s:
            lines.append(f"within {self.within_s:.3f}")
        if self.dims:
            lines.append(f"dims {' '.join(map(str, self.dims))}")
        if self.calibrate_s:
            lines.append(f"calibrate {self.calibrate_s}")
        for point in self.points:
            lines.append(f"point {point.operation} {point.n_bytes}")
            if point.seconds:
                lines.append(f"seconds {point.seconds:.6f}")
            lines += [f"arrival {' '.join(f'{late_us:.3f}' for late_us in pattern)}" for pattern in point.arrivals]
            lines += [f"candidate {c.name} {c.segment_bytes} {c.radix}" for c in point.candidates]
        return "\n".join(lines) + "\n"

    def time_limit_s(self) -> float:
        """Far more than a launch should take: candidates are also warmed up and checked outside the points' time."""
        return 120 + sum(
            3 * (point.seconds or self.seconds) + len(point.candidates) * (2 + point.n_bytes / 2e6)
            for point in self.points
        )


@dataclass(frozen=True)
class Noise:
    """One rank's noise, from a fixed piece of work done repeatedly. lost: the share of the time that other work
    took."""

    rank: int
    median_us: float
    p99_us: float
    longest_us: float
    lost: float
    interruptions_per_s: float


@dataclass
class Samples:
    """The samples of one candidate at one point in one launch.

    times_ns: of one operation by round, None if a rank came late.   problem: why there are none, or "".
    began_us: by rank, how long after the start it began, at the least in all rounds.
    """

    problem: str = ""
    correct: bool = True
    repeat: int = 1
    late: int = 0
    tolerance_ns: int = 0
    times_ns: list[float | None] = field(default_factory=list)
    began_us: list[float] = field(default_factory=list)


@dataclass
class Launch:
    """The results of one launch. samples: by point and candidate, as numbered in the plan."""

    library: str = ""
    ranks: int = 0
    hosts: int = 1
    ranks_on_host: int = 0
    cores_on_host: int = 0
    oversubscribed: bool = False
    clock_error_ns: int = 0
    clock_offset_ns: int = 0
    noise: list[Noise] = field(default_factory=list)
    messages: list[tuple[int, int]] = field(default_factory=list)
    reductions: list[tuple[int, int]] = field(default_factory=list)
    samples: dict[tuple[int, int], Samples] = field(default_factory=dict)
    began_us: dict[tuple[int, int], list[float]] = field(default_factory=dict)
    at: tuple[int, int] | None = None
    ended: bool = False


def prepared(
    plan: Plan,
    words: Sequence[str],
    environ: Mapping[str, str],
    folder: Path,
    *,
    label: str = "leadline-bench",
    timeout_s: float | None = None,
) -> ProgramLaunch:
    """The launch of `words` (launcher and program) with the plan, which is written. folder: an empty one."""
    (folder / "plan").write_text(plan.text())
    argv = (*words, str(folder / "plan"), str(folder / "results"))
    return ProgramLaunch(label, argv, environ, limit_s=timeout_s or plan.time_limit_s(), merged=True)


def result_of(outcome: Outcome, plan: Plan, folder: Path) -> Launch:
    """The results that a launch left in its directory. Raises MeasurementFailed if they are incomplete."""
    found = read(folder / "results")
    if outcome.ok and found.ended:
        return found
    where = _where(plan, found)
    if outcome.ending is Ending.NOT_STARTED:
        raise MeasurementFailed(outcome.reason)
    if outcome.ending is Ending.TIMED_OUT:
        raise MeasurementFailed(
            f"the measurement timed out after {outcome.limit_s:.0f} s{where}",
            hint="raise the limit: --timeout SECONDS",
        )
    how = f"was {outcome.reason}" if outcome.exit_code is None else f"exited with code {outcome.exit_code}"
    said = outcome.last_lines()
    raise MeasurementFailed(f"the benchmark program {how}{where}" + (": " + " | ".join(said) if said else ""))


def _where(plan: Plan, found: Launch) -> str:
    if found.at is None:
        return ", before the first measurement"
    point = plan.points[found.at[0]]
    return f", while measuring {point.operation} of {point.n_bytes} bytes with {point.candidates[found.at[1]]}"


def read(path: Path) -> Launch:
    """The results, as far as they are there."""
    found = Launch()
    if not path.exists():
        return found
    for line in read_lines(path):
        key, _, rest = line.partition(" ")
        if key == "library":
            found.library = " ".join(rest.replace(" Version:", "").split())
        elif key == "end":
            found.ended = True
        else:
            with contextlib.suppress(ValueError, IndexError):  # the last line of a program that was killed
                _read_figures(found, key, rest)
    return found


def read_lines(path: Path) -> list[str]:
    return path.read_text(errors="replace").splitlines()


def _read_figures(found: Launch, key: str, rest: str) -> None:
    words = rest.split()
    if key == "job":
        found.ranks, found.hosts, found.ranks_on_host, found.cores_on_host = (int(word) for word in words[:4])
        found.oversubscribed = words[4] == "1"
        found.clock_error_ns, found.clock_offset_ns = int(words[5]), int(words[6])
    elif key == "noise":
        figures = [float(word) for word in words[1:]]
        found.noise.append(Noise(int(words[0]), figures[0], figures[1], figures[2], figures[3], figures[4]))
    elif key in {"message", "reduction"}:
        (found.messages if key == "message" else found.reductions).append((int(words[0]), int(words[1])))
    elif key == "begin":
        found.at = (int(words[0]), int(words[1]))
    elif key == "began":
        found.began_us[int(words[0]), int(words[1])] = [float(word) for word in words[2:]]
    elif key == "unusable":
        point, candidate, why = rest.split(" ", 2)
        found.samples[int(point), int(candidate)] = Samples(problem=why)
    elif key == "samples":
        times = [None if word == "late" else float(word) for word in words[6:]]
        at = int(words[0]), int(words[1])
        found.samples[at] = Samples(
            "", words[2] == "correct", int(words[3]), int(words[4]), int(words[5]), times, found.began_us.get(at, [])
        )
