"""A published study measured again: `leadline bench --study intel-mpi`.

A. V. Leus compared ways to exchange data with several versions of Intel MPI: point to point, broadcast, and the sum of
vectors. What is compared with him is the *ratio* of the library's own operation to each other one, and so who wins
where; his clusters and this machine differ in everything else. His times have a resolution of 1 µs, which the ratios'
ranges take into account.
"""

from __future__ import annotations

import csv
import itertools
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline import mpi
from leadline.bench.measuring import measure
from leadline.bench.output import PIPE_WIDTH, About, notes
from leadline.bench.rows import Measurement
from leadline.errors import MeasurementFailed, UsageError
from leadline.runs.interruption import Interruption, interruption
from leadline.text.printing import console

STUDIES = ("intel-mpi",)
DATA = Path(__file__).parent / "studies"
DOUBLE = 8
RESOLUTION_MS = 0.001
FITS_BYTES = 8 << 20  # of a message, unless everything is asked for
TIMEOUT_S = 900.0  # of a launch that takes 10 to 30 s on a machine of its own; on a busy one a hundred times longer
TIMEOUT_FULL_S = 3600.0


@dataclass(frozen=True)
class Series:
    """One of the study's. tables: those published, with the placement that one machine can repeat first."""

    name: str
    operation: str
    algorithms: tuple[str, ...]
    base: str
    processes: tuple[int, ...]
    elements: tuple[int, ...]
    tables: tuple[int, ...]


SERIES = (
    Series("point to point", "p2p", ("nonblocking", "bcast"), "blocking", (2,), tuple(10**e for e in range(9)), (1, 2)),
    Series(
        "broadcast",
        "bcast",
        ("split_native:radix=2", "binary_tree_async", "scatter_direct"),
        "native",
        (2, 4, 8, 16),
        tuple(10**e for e in range(2, 9)),
        (3, 5),
    ),
    Series(
        "vector sum (MPI_SUM)",
        "allreduce",
        ("rabenseifner", "binary_tree_async", "direct"),
        "native",
        (2, 4, 8, 16, 32),
        tuple(10**e for e in range(2, 8)),
        (7, 8),
    ),
)
ABOUT = """\
A. V. Leus's comparison of Intel MPI versions, measured again. A ratio above 1 means faster than the library default.
published: min and max ratio in his tables, over versions and clusters. unclear: the 95 % CI here
includes 1; or the published ratios do, once rounding to 1 µs is allowed for; or his clusters disagree."""
_PUBLISHED_NAMES = {"bcast_of_two": "bcast"}


@dataclass(frozen=True)
class PublishedRatio:
    """base's time by the algorithm's in one of the tables. low, high: what rounding to 1 µs leaves open."""

    cluster: str
    placement: str
    version: str
    ratio: float
    low: float
    high: float


@dataclass
class Comparison:
    """One algorithm at one point, here and as published. here: {median, low, high}, None where void."""

    series: str
    algorithm: str
    processes: int
    elements: int
    library: str
    here: dict[str, float | None] | None
    published: list[PublishedRatio]

    @property
    def winner_here(self) -> str | None:
        """ "algorithm", "base", or None if the interval contains 1 or there is none."""
        if self.here is None:
            return None
        return _side(self.here["low"], self.here["high"])

    @property
    def winner_published(self) -> str | None:
        """The winner if all versions of the library, and all clusters, agree."""
        sides = {_side(each.low, each.high) for each in self.published}
        return sides.pop() if len(sides) == 1 else None

    @property
    def agrees(self) -> bool | None:
        """None if one of the two is not clear."""
        here, published = self.winner_here, self.winner_published
        return None if here is None or published is None else here == published

    def as_dict(self) -> dict[str, Any]:
        return {
            "series": self.series,
            "algorithm": self.algorithm,
            "processes": self.processes,
            "elements": self.elements,
            "library": self.library,
            "ratio": self.here,
            "published": [vars(each) for each in self.published],
            "winner": self.winner_here,
            "winner_published": self.winner_published,
            "agrees": self.agrees,
        }


@dataclass
class Study:
    """The result of run(). left_out: points that were not to be measured, and why; failed: points that are missing.

    interruption: the signal that ended it early, if any."""

    measurements: list[Measurement] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    interruption: Interruption = field(default_factory=Interruption)

    def document(self) -> dict[str, Any]:
        return {
            "schema": 1,
            "study": STUDIES[0],
            "measurements": [found.document() for found in self.measurements],
            "comparisons": [each.as_dict() for each in self.comparisons],
            "left_out": self.left_out,
            "failed": self.failed,
        }


def _side(low: float | None, high: float | None) -> str | None:
    if low is not None and low > 1:
        return "algorithm"
    return "base" if high is not None and high < 1 else None


def published(series: Series) -> dict[tuple[str, int, int], list[PublishedRatio]]:
    """Ratios by algorithm (without parameters), processes and elements."""
    times: dict[tuple[str, str, str, int, int], dict[str, float]] = {}
    for table in series.tables:
        with (DATA / f"intel_mpi_table{table}.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                key = (row["cluster"], row["placement"], row["version"], int(row["processes"]), int(row["elements"]))
                name = _PUBLISHED_NAMES.get(row["algorithm"], row["algorithm"])
                times.setdefault(key, {})[name] = float(row["time_ms"])
    found: dict[tuple[str, int, int], list[PublishedRatio]] = {}
    for (cluster, placement, version, processes, elements), by_name in times.items():
        base = by_name.get(series.base)
        for name, time in by_name.items():
            if base is not None and name != series.base:
                ratio = PublishedRatio(cluster, placement, version, *ratio_of_rounded(base, time))
                found.setdefault((name, processes, elements), []).append(ratio)
    return found


def ratio_of_rounded(base_ms: float, time_ms: float) -> tuple[float, float, float]:
    """The ratio of two times rounded to the study's resolution, and the range it may lie in."""
    half = RESOLUTION_MS / 2
    shortest = max(time_ms - half, half / 10)
    ratio = base_ms / time_ms if time_ms > 0 else 1.0
    return ratio, max(base_ms - half, 0.0) / (time_ms + half), (base_ms + half) / shortest


def run(
    name: str,
    libraries: Sequence[mpi.Library],
    *,
    full: bool = False,
    launches: int = 3,
    rounds: int = 20,
    seconds: float = 2.0,
    seed: int = 1,
    timeout_s: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> Study:
    """Measures the study's three series with each library.

    full: every number of processes and elements of the study, however many cores there are; else what fits them.
    timeout_s: of a launch. Raises UsageError for an unknown study. If a launch fails or a signal comes, that is
    reported, and what was measured before is kept.
    """
    if name not in STUDIES:
        raise UsageError(f"unknown study {name!r}", hint=f"available: {', '.join(STUDIES)}")
    study = Study()
    with interruption() as study.interruption:
        for library, series in itertools.product(libraries, SERIES):
            for processes, sizes in extent(series, full, study):
                what = f"{series.name}, {processes} ranks, {library.name}"
                if study.interruption.signal:
                    study.failed.append(f"{what}: not measured (interrupted)")
                    continue
                try:
                    found = measure(
                        series.operation,
                        algorithms=series.algorithms,
                        sizes=[DOUBLE * elements for elements in sizes],
                        ranks=processes,
                        library=library,
                        launches=launches,
                        rounds=rounds,
                        seconds=seconds,
                        seed=seed,
                        timeout_s=timeout_s or (TIMEOUT_FULL_S if full else TIMEOUT_S),
                        keep=True,
                        progress=progress,
                    )
                except MeasurementFailed as error:
                    study.failed.append(f"{what}: not measured: {error}")
                    continue
                except (KeyboardInterrupt, SystemExit):
                    if not study.interruption.signal or not study.measurements:
                        raise
                    study.failed.append(f"{what}: not measured (interrupted)")
                    continue
                if found.failed:
                    study.failed.append(f"{what}: {found.failed}")
                study.measurements.append(found)
                study.comparisons += compare(series, found)
    study.left_out = list(dict.fromkeys(study.left_out))
    return study


def extent(series: Series, full: bool, study: Study) -> list[tuple[int, list[int]]]:
    """Processes, and the elements to measure with them."""
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    extent = []
    too_many = [processes for processes in series.processes if processes > max(cores, 2) and not full]
    if too_many:
        ranks = ", ".join(map(str, too_many))
        study.left_out.append(
            f"{series.name}, {ranks} ranks: more than the {cores} cores here (measure anyway: --full)"
        )
    for processes in (each for each in series.processes if each not in too_many):
        # Two buffers and an algorithm's scratch for each rank, in half of the memory.
        most = memory // 2 // (4 * processes) if full else FITS_BYTES
        sizes = [elements for elements in series.elements if DOUBLE * elements <= most]
        if len(sizes) < len(series.elements):
            why = "does not fit in memory" if full else "takes too long (measure anyway: --full)"
            rest = f"{series.elements[len(sizes)]:,} doubles or more"
            study.left_out.append(f"{series.name}, {processes} ranks, {rest}: {why}")
        extent.append((processes, sizes))
    return extent


def compare(series: Series, found: Measurement) -> list[Comparison]:
    """Every row but the base's, next to the study's."""
    theirs = published(series)
    return [
        Comparison(
            series.name,
            row["algorithm"],
            row["processes"],
            row["bytes"] // DOUBLE,
            row["library"],
            row["ratio_to_native"],
            theirs.get((row["algorithm"].partition(":")[0], row["processes"], row["bytes"] // DOUBLE), []),
        )
        for row in found.rows
        if row["algorithm"] != series.base
    ]


LEGEND = "here: ratio measured now, 95 % CI. published: range of ratios in the paper. same: both agree on the winner."


def print_study(study: Study) -> None:
    """A table for each series: the ratio here, the range of those published, and whether the same one wins."""
    from rich.table import Table

    screen = console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)
    screen.print(ABOUT, "\n")
    for series, library in itertools.product(SERIES, dict.fromkeys(each.library for each in study.comparisons)):
        own = [each for each in study.comparisons if (each.series, each.library) == (series.name, library)]
        if not own:
            continue
        screen.print(f"{series.name}, {library}: speedup of each algorithm over {series.base}", style="bold")
        table = Table(box=None, pad_edge=False)
        for column in ("ranks", "doubles", "algorithm", "here", "95 %", "faster", "published", "faster", "same"):
            words = column in {"algorithm", "faster", "same"}
            table.add_column(column, justify="left" if words else "right", no_wrap=True)
        for each in own:
            table.add_row(str(each.processes), f"{each.elements:,}", each.algorithm, *_shown(each))
        screen.print(table)
        screen.print(LEGEND, style="dim")
        screen.print(summary(own), "\n")
    for measurement in study.measurements:
        what = f"{measurement.asked.operation} with {measurement.asked.library}"
        for note in notes(measurement):
            if note.about is not About.FAILURE:  # failures follow below, of measurements without notes, too
                screen.print(f"{what}. {note.text}", style="yellow")
    for line in study.left_out:
        screen.print(f"Skipped: {line}", style="yellow")
    for line in study.failed:
        screen.print(f"Failed: {line}", style="red")


def _shown(each: Comparison) -> tuple[str, ...]:
    here = each.here
    ratio, interval = "–", "no valid time"
    if here is not None and here["median"] is not None:
        low, high = here["low"], here["high"]
        ratio = f"{here['median']:.2f}"
        interval = f"{low:.2f}–{high:.2f}" if low is not None and high is not None else "too few"
    ratios = sorted(ratio.ratio for ratio in each.published)
    theirs = f"{ratios[0]:.2f}–{ratios[-1]:.2f}" if ratios else "no published table"
    words = {"algorithm": "yes", "base": "no", None: "unclear"}
    verdict = {True: "yes", False: "no", None: ""}[each.agrees]
    return ratio, interval, words[each.winner_here], theirs, words[each.winner_published] if ratios else "", verdict


def summary(comparisons: Sequence[Comparison]) -> str:
    """For example: "Clear here and there: 12 points, the same wins at 9." """
    clear = [each for each in comparisons if each.agrees is not None]
    same = sum(each.agrees is True for each in clear)
    return (
        f"{len(clear)} of {sum(bool(each.published) for each in comparisons)} published points have a clear winner "
        f"both here and in the paper; the same algorithm wins at {same} of them."
    )
