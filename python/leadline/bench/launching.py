"""One launch of the program: its plan written, its ranks started and ended, its results read."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from leadline.bench.asking import Candidate
from leadline.errors import MeasurementFailed

GRACE_S = 1.0  # for a launch that is given up


@dataclass(frozen=True)
class Point:
    """operation: as the program knows it."""

    operation: str
    n_bytes: int
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class Plan:
    """The plan of one launch; docs/bench.md explains its parts."""

    points: tuple[Point, ...]
    rounds: int = 50
    seconds: float = 2.5
    repeat: int = 0
    skew_us: float = 0.0
    seed: int = 1
    root: int = 0
    nodes: int = 0
    measured_clocks: bool = False
    buffers: str = "reused"
    network: bool = False

    def text(self) -> str:
        lines = [
            "leadline-bench 1",
            f"rounds {self.rounds}",
            f"seconds {self.seconds}",
            f"repeat {self.repeat}",
            f"skew_us {self.skew_us}",
            f"seed {self.seed}",
            f"root {self.root}",
            f"nodes {self.nodes}",
            f"clocks {'measured' if self.measured_clocks else 'shared'}",
            f"buffers {self.buffers}",
            f"network {int(self.network)}",
        ]
        for point in self.points:
            lines.append(f"point {point.operation} {point.n_bytes}")
            lines += [f"candidate {c.name} {c.segment_bytes} {c.radix}" for c in point.candidates]
        return "\n".join(lines) + "\n"

    def time_limit_s(self) -> float:
        """Far more than a launch should take: candidates are also warmed up and checked outside the points' time."""
        return 120 + sum(3 * self.seconds + len(point.candidates) * (2 + point.n_bytes / 2e6) for point in self.points)


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
    """

    problem: str = ""
    correct: bool = True
    repeat: int = 1
    late: int = 0
    tolerance_ns: int = 0
    times_ns: list[float | None] = field(default_factory=list)


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
    at: tuple[int, int] | None = None
    ended: bool = False


def launch(
    plan: Plan, words: Sequence[str], environ: Mapping[str, str], folder: Path, *, timeout_s: float | None = None
) -> Launch:
    """Run `words` (launcher and program) with the plan. folder: an empty one. Raises MeasurementFailed."""
    (folder / "plan").write_text(plan.text())
    results = folder / "results"
    limit = timeout_s or plan.time_limit_s()
    with (folder / "output").open("w") as output:
        code = run_in_time([*words, str(folder / "plan"), str(results)], environ, output.fileno(), limit)
    found = read(results)
    if code == 0 and found.ended:
        return found
    where = _where(plan, found)
    if code is None:
        raise MeasurementFailed(
            f"the measurement did not end within {limit:.0f} s{where}", hint="allow more time with --timeout SECONDS"
        )
    said = (folder / "output").read_text(errors="replace").strip().splitlines()
    raise MeasurementFailed(
        f"the measurement ended with code {code}{where}" + (": " + " | ".join(said[-4:]) if said else "")
    )


def _where(plan: Plan, found: Launch) -> str:
    if found.at is None:
        return ", before its first point"
    point = plan.points[found.at[0]]
    return f", in {point.operation} of {point.n_bytes} bytes by {point.candidates[found.at[1]]}"


def run_in_time(
    words: Sequence[str],
    environ: Mapping[str, str],
    output: int,
    limit_s: float | None,
    *,
    errors: int | None = None,
    give_up: Callable[[], bool] | None = None,
) -> int | None:
    """The exit code; None if the program was ended after its time limit. However we end, nothing of it is left.

    give_up: asked several times a second; after a yes the program has GRACE_S to end by itself.

    output: a file's descriptor; errors: another one, for standard error. limit_s: None for no limit. Raises
    MeasurementFailed if it cannot be started.
    """
    with _ending_cleanly():
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output if errors is None else errors,
                env=dict(environ),
                start_new_session=True,
            )
        except OSError as error:
            raise MeasurementFailed(f"{words[0]}: {error.strerror}") from error
        try:
            return process.wait(limit_s) if give_up is None else _wait(process, limit_s, give_up)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.poll() is None:
                _end(process)


def _wait(process: subprocess.Popen[bytes], limit_s: float | None, give_up: Callable[[], bool]) -> int:
    end = None if limit_s is None else time.monotonic() + limit_s
    given_up = False
    while True:
        try:
            return process.wait(0.1)
        except subprocess.TimeoutExpired:
            if not given_up and give_up():
                given_up, end = True, time.monotonic() + GRACE_S
            if end is not None and time.monotonic() >= end:
                raise


@contextlib.contextmanager
def _ending_cleanly() -> Iterator[None]:
    """The ranks are in a session of their own, so whoever ends us must not leave them behind."""

    def leave(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    ours = threading.current_thread() is threading.main_thread()
    taken = [s for s in (signal.SIGTERM, signal.SIGHUP) if ours and signal.getsignal(s) is signal.SIG_DFL]
    for each in taken:
        signal.signal(each, leave)
    try:
        yield
    finally:
        for each in taken:
            signal.signal(each, signal.SIG_DFL)


def _end(process: subprocess.Popen[bytes]) -> None:
    """The launcher first, which ends its ranks; then whatever is left of them."""
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(5)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def read(path: Path) -> Launch:
    """The results, as far as they are there."""
    found = Launch()
    if not path.exists():
        return found
    for line in path.read_text(errors="replace").splitlines():
        key, _, rest = line.partition(" ")
        if key == "library":
            found.library = " ".join(rest.replace(" Version:", "").split())
        elif key == "end":
            found.ended = True
        else:
            with contextlib.suppress(ValueError, IndexError):  # the last line of a program that was killed
                _read_figures(found, key, rest)
    return found


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
    elif key == "unusable":
        point, candidate, why = rest.split(" ", 2)
        found.samples[int(point), int(candidate)] = Samples(problem=why)
    elif key == "samples":
        times = [None if word == "late" else float(word) for word in words[6:]]
        found.samples[int(words[0]), int(words[1])] = Samples(
            "", words[2] == "correct", int(words[3]), int(words[4]), int(words[5]), times
        )
