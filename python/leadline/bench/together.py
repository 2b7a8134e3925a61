"""Many operations on the same ranks, measured in the same launches: most of a short launch is its start.

With a limit of time each launch gets its share of what is left. Its points get theirs of that by the number of their
candidates, and those that cannot begin in time have the problem NO_TIME (src/bench/rounds.hpp).
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from leadline import mpi
from leadline.bench import program
from leadline.bench.course import FIRST_LOOK, MEASURED, Course
from leadline.bench.launching import NO_TIME, Launch, Plan, Point, prepared, read, result_of
from leadline.bench.measuring import arrivals_by_size, asked_of, launcher_of, left_out_of, measurement_of, settings_of
from leadline.bench.rows import Measurement
from leadline.errors import MeasurementFailed
from leadline.runs.launch import Launch as ProgramLaunch
from leadline.runs.order import Turn, turns
from leadline.runs.runner import Done, Runner
from leadline.text import format as fmt

START_S = 1.0  # of a launch, beside measuring, at least
LEAST_S = 0.1  # for the points of a launch, as long as another fits into the time
SPARE = 3  # launches in place of those that fail
HANGS_S = 60.0  # a launch that takes so much longer than its time


@dataclass(frozen=True)
class Request:
    """One operation's part, as `measure` takes it.   seconds: for each point.   arrivals: by size."""

    operation: str
    algorithms: tuple[str, ...]
    sizes: tuple[int, ...]
    seconds: float
    dims: tuple[int, ...] = ()
    arrivals: Mapping[int, Sequence[Sequence[float]]] = field(default_factory=dict)
    left_out: Mapping[int, Collection[str]] = field(default_factory=dict)


def measure_together(
    requests: Sequence[Request],
    *,
    ranks: int,
    library: mpi.Library,
    launches: int,
    rounds: int,
    launcher: Sequence[str] | None = None,
    repeat: int = 0,
    buffers: str = "reused",
    seed: int = 1,
    only_better: bool = False,
    screening: int = 0,
    limit_s: float = 0.0,
    progress: Callable[[str], None] | None = None,
) -> list[Measurement]:
    """A measurement for each request, all in the same launches.   limit_s: for all launches; 0: none. The rest as
    `measure` has it.

    If a launch fails, the algorithm that it was at is left out, and the reason is in `failed`. A signal ends the
    process.
    Raises UsageError, MissingPrerequisite.
    """
    executable = program.executable(library)
    asked = [
        asked_of(each.operation, each.algorithms, each.sizes, ranks, library.name, seed, dims=each.dims)
        for each in requests
    ]
    asked = [
        replace(
            each,
            arrivals=arrivals_by_size(request.arrivals, each.sizes, ranks),
            left_out=left_out_of(request.left_out, each) if request.left_out else (),
        )
        for each, request in zip(asked, requests, strict=True)
    ]
    dims = next((each.dims for each in asked if each.dims), ())
    plan = Plan((), rounds=rounds, repeat=repeat, buffers=buffers, seed=seed, dims=dims, network=True)
    with tempfile.TemporaryDirectory(prefix="leadline-bench-") as name:
        courses = [
            Course(
                each,
                replace(plan, seconds=request.seconds),
                [*launcher_of(library, launcher, ranks), str(executable)],
                library.env(),
                Path(name),
                label="",
                screening=screening if len(each.candidates) > 1 else 0,
                only_better=only_better and len(each.candidates) > 1,
            )
            for each, request in zip(asked, requests, strict=True)
        ]
        label = f"{fmt.plural(len(courses), 'operation')}, {ranks} ranks, {library.name}"
        together = Together(courses, plan, Path(name), label, limit_s)
        finished = Runner(progress).run(together.turns(launches), together.launch_of, together.take)
    finished.interruption.end_if_any()
    for course in courses:
        course.failed = course.failed or together.failed
    settings = {**settings_of(plan), "launches": launches, "environ": {}}
    found = [measurement_of(each, course, settings, None) for each, course in zip(asked, courses, strict=True)]
    for row in (row for measurement in found for row in measurement.rows):
        if row["correct"] and not row["samples"] + row["late"]:
            row.update(correct=None, problem=NO_TIME)
    return found


@dataclass
class Together:
    """courses: of one library and number of ranks, each with its own seconds.   plan: what they share.

    folder: an empty one.   limit_s: for all launches; 0: none.

    If a launch fails, the candidate that it was at is left out, and another launch takes its place. failed: why there
    are not as many as wanted, or "".
    """

    courses: Sequence[Course]
    plan: Plan
    folder: Path
    label: str
    limit_s: float = 0.0
    clock: Callable[[], float] = time.monotonic
    failed: str = ""

    def __post_init__(self) -> None:
        self._begin = self.clock()
        self._beside_s = START_S  # of a launch, what is not measuring
        self._now, self._began_s, self._parts = self.plan, 0.0, [0] * len(self.courses)
        self._measured, self._wanted = 0, 0

    def turns(self, launches: int) -> list[Turn[str]]:
        self._wanted = launches
        look = turns([FIRST_LOOK], 1) if any(course.screening for course in self.courses) else []
        spare = [Turn(MEASURED, launches + number, 0, launches, 1) for number in range(SPARE)]
        return [*look, *turns([MEASURED], launches), *spare]

    def launch_of(self, turn: Turn[str]) -> ProgramLaunch | None:
        """The points of all courses; None if nothing is wanted, no time is left, or a launch failed."""
        first_look = turn.candidate == FIRST_LOOK
        of_courses = [
            [replace(point, seconds=course.plan.seconds) for point in course.points()]
            if course.screening or not first_look
            else []
            for course in self.courses
        ]
        within_s = self._share_s(first_look)
        is_over = self.failed or self._measured == self._wanted or (self.limit_s and within_s <= 0)
        if is_over or not any(of_courses):
            return None
        points = _shared_out([point for points in of_courses for point in points], within_s if self.limit_s else 0.0)
        self._parts = [len(points) for points in of_courses]
        self._now = replace(
            self.plan,
            points=tuple(points),
            within_s=within_s if self.limit_s else 0.0,
            seed=self.plan.seed + (-1 if first_look else turn.round),
            rounds=max(course.screening for course in self.courses) if first_look else self.plan.rounds,
        )
        folder = self._folder_of(turn)
        folder.mkdir()
        self._began_s = self.clock()
        return prepared(
            self._now,
            self.courses[0].words,
            self.courses[0].environ,
            folder,
            label=self.label,
            timeout_s=within_s + HANGS_S if self.limit_s else None,
        )

    def take(self, done: Done[str]) -> None:
        folder, first_look = self._folder_of(done.turn), done.turn.candidate == FIRST_LOOK
        try:
            launch = result_of(done.outcome, self._now, folder)
        except MeasurementFailed as error:
            self._leave_out(read(folder / "results").at, str(error))
            return
        self._measured += not first_look
        self._beside_s = max(START_S, self.clock() - self._began_s - self._now.within_s)
        begin = 0
        for course, points in zip(self.courses, self._parts, strict=True):
            if points:
                course.accept(_part(launch, begin, begin + points), done.turn, first_look)
            begin += points

    def _leave_out(self, at: tuple[int, int] | None, why: str) -> None:
        """at: point and candidate of the plan."""
        if at is None:
            self.failed = why
            return
        point = at[0]
        for course, points in zip(self.courses, self._parts, strict=True):
            if point < points:
                course.leave_out(point, at[1])
                course.failed = f"{why}; skipped from then on"
                return
            point -= points

    def _share_s(self, first_look: bool) -> float:
        """For measuring, of the time that is left for this launch and those after it. The first look has half of it: it
        has all candidates, and takes no longer than its few rounds."""
        left_s = self.limit_s - (self.clock() - self._begin)
        share_s = left_s / 2 if first_look else left_s / max(self._wanted - self._measured, 1)
        return max(share_s - self._beside_s, LEAST_S) if left_s > self._beside_s else 0.0

    def _folder_of(self, turn: Turn[str]) -> Path:
        return self.folder / ("look" if turn.candidate == FIRST_LOOK else str(turn.round))


def _shared_out(points: Sequence[Point], within_s: float) -> list[Point]:
    """within_s: of all of them, shared by the number of candidates; 0: no limit."""
    candidates = sum(len(point.candidates) for point in points)
    if not within_s:
        return list(points)
    return [
        replace(point, seconds=min(point.seconds, within_s * len(point.candidates) / candidates)) for point in points
    ]


def _part(launch: Launch, begin: int, end: int) -> Launch:
    """The points from begin to end, numbered from 0."""
    return replace(
        launch,
        samples={(p - begin, c): found for (p, c), found in launch.samples.items() if begin <= p < end},
        began_us={(p - begin, c): found for (p, c), found in launch.began_us.items() if begin <= p < end},
    )
