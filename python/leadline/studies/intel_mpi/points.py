"""The times: of each release, series and number of processes, a launch in turn, kept as they come."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline import own_files
from leadline.bench import measure
from leadline.bench.study import DOUBLE, SERIES, Series, Study, extent
from leadline.errors import LeadlineError
from leadline.json_text import parsed
from leadline.mpi import Library
from leadline.runs.interruption import Interruption, ends_the_block
from leadline.runs.order import turns
from leadline.statistics.median import median
from leadline.statistics.welch import Ratio, of_repeats

FILE = "points.json"
MOST_SAID = 300  # characters of why a launch failed, from the end
ROUNDS = 20  # as in the study


@dataclass(frozen=True)
class Point:
    """A cell of one of the study's tables. algorithm: without parameters."""

    series: str
    library: str
    processes: int
    elements: int
    algorithm: str


@dataclass(frozen=True)
class Job:
    """What one launch measures."""

    library: Library
    series: Series
    processes: int
    elements: tuple[int, ...]

    @property
    def label(self) -> str:
        return f"{self.series.name}, {self.processes} processes, {self.library.name}"


@dataclass
class Points:
    """us: the median of each launch.   done: launches by job.   failed: by job, why.   left_out: what was not to be
    measured, and why."""

    us: dict[Point, list[float]] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    interruption: Interruption = field(default_factory=Interruption)

    def ratio(self, faster: Point, slower: Point) -> Ratio | None:
        """Above 1: the first is faster."""
        one, other = self.us.get(faster, []), self.us.get(slower, [])
        return of_repeats(one, other) if one and other else None

    def known(self, series: str, algorithm: str) -> Iterator[Point]:
        return (each for each in self.us if (each.series, each.algorithm) == (series, algorithm))

    def rows(self) -> list[dict[str, Any]]:
        return [{**vars(point), "median_us": median(times), "launches_us": times} for point, times in self.us.items()]


def jobs_of(libraries: Iterable[Library], *, full: bool) -> tuple[list[Job], list[str]]:
    """full: every number of processes and elements of the study, however many cores there are."""
    said = Study()
    found = [
        Job(library, series, processes, tuple(sizes))
        for series in SERIES
        for processes, sizes in extent(series, full, said)
        for library in libraries
    ]
    return found, list(dict.fromkeys(said.left_out))


def measured(
    libraries: Sequence[Library],
    launches: int,
    seconds: float,
    directory: Path,
    progress: Callable[[str], None],
    *,
    full: bool,
) -> Points:
    """Launches that an earlier call has finished are not repeated. A job that fails is said, and tried again then.

    Releases alternate: each turn of a series and number of processes has all of them.
    """
    found = _kept(directory / FILE)
    jobs, found.left_out = jobs_of(libraries, full=full)
    groups: dict[tuple[str, int], list[Job]] = {}
    for job in jobs:
        groups.setdefault((job.series.name, job.processes), []).append(job)
    with ends_the_block() as found.interruption:
        for turn in [turn for group in groups.values() for turn in turns(group, launches)]:
            if found.interruption.signal:
                break
            job = turn.candidate
            if job.label in found.failed or found.done.get(job.label, 0) > turn.round:
                continue
            progress(f"{job.label}, launch {turn.round + 1} of {launches}")
            _take(found, job, seconds, turn.round)
            _keep(found, directory / FILE)
    return found


def _take(found: Points, job: Job, seconds: float, number: int) -> None:
    try:
        one = measure(
            job.series.operation,
            algorithms=job.series.algorithms,
            sizes=[DOUBLE * elements for elements in job.elements],
            ranks=job.processes,
            library=job.library,
            launches=1,
            rounds=ROUNDS,
            seconds=seconds,
            seed=number + 1,
        )
    except LeadlineError as error:
        found.failed[job.label] = " ".join(str(error).split())[-MOST_SAID:]
        return
    for row in one.rows:
        if row["median_us"] is not None and row["correct"] is not False:
            algorithm = row["algorithm"].partition(":")[0]
            elements = row["bytes"] // DOUBLE
            point = Point(job.series.name, job.library.name, job.processes, elements, algorithm)
            found.us.setdefault(point, []).append(row["median_us"])
    found.done[job.label] = number + 1


def _keep(found: Points, file: Path) -> None:
    rows = [[*vars(point).values(), times] for point, times in found.us.items()]
    with own_files.replacing(file) as out:
        json.dump({"us": rows, "done": found.done}, out)


def _kept(file: Path) -> Points:
    try:
        content = parsed(own_files.read(file))
        us = {Point(*row[:-1]): [float(each) for each in row[-1]] for row in content["us"]}
        return Points(us, {str(name): int(number) for name, number in content["done"].items()})
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return Points()
