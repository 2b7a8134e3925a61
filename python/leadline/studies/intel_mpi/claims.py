"""What the study concludes, how often its own tables show it, and what the launches measured here say to it."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from leadline.bench.study import DATA, RESOLUTION_MS, SERIES, Series, published, ratio_of_rounded
from leadline.statistics.welch import Ratio, holm
from leadline.studies.intel_mpi.points import Point, Points
from leadline.studies.libraries.claims import ALIKE, HOLDS, NOT, UNKNOWN, Verdict

P2P, BCAST, SUM = SERIES
LONG = 10_000  # elements, from which on nonblocking messages win in the study
FEW, EIGHT, MANY = (2, 4), (8,), (16,)
SHORT_SUM = 100_000


@dataclass(frozen=True)
class Compared:
    """ratio: above 1 the claim's first is faster.   claimed: a difference is proven."""

    where: str
    ratio: Ratio
    claimed: bool

    @property
    def is_alike(self) -> bool:
        return self.ratio.low >= 1 - ALIKE and self.ratio.high <= 1 + ALIKE

    @property
    def is_apart(self) -> bool:
        return self.claimed and (self.ratio.low > 1 + ALIKE or self.ratio.high < 1 - ALIKE)


def verdicts(found: Points, libraries: Sequence[str]) -> list[Verdict]:
    def over(series: str, algorithm: str, base: str, wanted: Callable[[Point], bool]) -> list[Compared]:
        return _compared(found, found.known(series, algorithm), base, wanted)

    def at(*counts: int) -> Callable[[Point], bool]:
        return lambda point: point.processes in counts

    nonblocking = [
        over(P2P.name, "nonblocking", P2P.base, lambda point, long=long: (point.elements >= LONG) == long)  # type: ignore[misc]
        for long in (True, False)
    ]
    rows: list[tuple[str, str, tuple[str, str]]] = [
        (
            f"nonblocking messages are faster than blocking ones from {LONG:,} elements on",
            _published(P2P, "nonblocking", lambda _, elements: elements >= LONG),
            _faster(nonblocking[0]),
        ),
        (
            "and take the same time below",
            _published(P2P, "nonblocking", lambda _, elements: elements < LONG),
            _alike(nonblocking[1]),
        ),
        ("the time of an element does not grow with the length of long messages", _growth(), _by_length(found)),
        (
            "point to point, releases make no real difference",
            _published_releases((1, 2)),
            _alike(_between(found, libraries, P2P.name, P2P.base)),
        ),
        (
            "to about 8 processes the asynchronous binary tree broadcasts faster than the library",
            _published(BCAST, "binary_tree_async", lambda processes, _: processes in FEW),
            _faster(over(BCAST.name, "binary_tree_async", BCAST.base, at(*FEW))),
        ),
        (
            "near 8 processes Baidin's broadcast is faster than the library's",
            "in words, without tables",
            _faster(over(BCAST.name, "scatter_direct", BCAST.base, at(*EIGHT))),
        ),
        (
            "above 8 processes the library's broadcast is faster than the asynchronous binary tree",
            _published(BCAST, "binary_tree_async", lambda processes, _: processes in MANY),
            _faster(_compared(found, found.known(BCAST.name, BCAST.base), "binary_tree_async", at(*MANY))),
        ),
        (
            "Rabenseifner's sum is faster than the library's",
            _published(SUM, "rabenseifner", lambda *_: True),
            _faster(over(SUM.name, "rabenseifner", SUM.base, lambda _: True)),
        ),
        (
            f"with 32 processes and up to {SHORT_SUM:,} elements the asynchronous binary tree sums faster",
            "in words; table 9 is missing",
            _faster(
                over(
                    SUM.name,
                    "binary_tree_async",
                    SUM.base,
                    lambda point: point.processes == 32 and point.elements <= SHORT_SUM,
                )
            ),
        ),
        (
            "releases matter for the sum",
            _published_releases((7,)),
            _apart(_between(found, libraries, SUM.name, SUM.base)),
        ),
    ]
    return [Verdict(claim, theirs, *judged) for claim, theirs, judged in rows]


def _compared(found: Points, points: Iterable[Point], other: str, wanted: Callable[[Point], bool]) -> list[Compared]:
    """Each point against the same one of another algorithm, with Holm's correction over all of them."""
    pairs = []
    for point in points:
        against = Point(point.series, point.library, point.processes, point.elements, other)
        ratio = found.ratio(point, against) if wanted(point) else None
        if ratio is not None:
            pairs.append((f"{point.library}, {point.processes} processes, {point.elements:,}", ratio))
    return _claimed(pairs)


def _between(found: Points, libraries: Sequence[str], series: str, algorithm: str) -> list[Compared]:
    """Each pair of releases at each point."""
    pairs = []
    for point in found.known(series, algorithm):
        for other in libraries[libraries.index(point.library) + 1 :] if point.library in libraries else ():
            against = Point(series, other, point.processes, point.elements, algorithm)
            ratio = found.ratio(point, against)
            if ratio is not None:
                where = f"{other} by {point.library}, {point.processes} processes, {point.elements:,}"
                pairs.append((where, ratio))
    return _claimed(pairs)


def _claimed(pairs: Sequence[tuple[str, Ratio]]) -> list[Compared]:
    sure = holm([ratio.p for _, ratio in pairs])
    return [Compared(where, ratio, claimed) for (where, ratio), claimed in zip(pairs, sure, strict=True)]


def _faster(found: Sequence[Compared]) -> tuple[str, str]:
    """Holds if it is proven at a point at least, and the opposite at none."""
    if not found:
        return UNKNOWN, "not measured"
    won = [each for each in found if each.claimed and each.ratio.value > 1]
    lost = [each for each in found if each.claimed and each.ratio.value < 1]
    words = f"faster at {len(won)}, slower at {len(lost)} of {len(found)} points{_extremes([*won, *lost])}"
    if bool(won) == bool(lost):
        return UNKNOWN, words
    return (HOLDS if won else NOT), words


def _alike(found: Sequence[Compared]) -> tuple[str, str]:
    """Does not hold if a difference beyond 5 % is proven; holds if, at half of the points, all of the interval is
    within."""
    if not found:
        return UNKNOWN, "not measured"
    within, apart = [each for each in found if each.is_alike], [each for each in found if each.is_apart]
    words = f"within 5 % at {len(within)}, proven to differ more at {len(apart)} of {len(found)} points"
    if apart:
        return NOT, words + _extremes(apart)
    return (HOLDS if 2 * len(within) >= len(found) else UNKNOWN), words


def _apart(found: Sequence[Compared]) -> tuple[str, str]:
    """The opposite of alike."""
    verdict, words = _alike(found)
    return {HOLDS: NOT, NOT: HOLDS}.get(verdict, UNKNOWN), words


def _extremes(found: Sequence[Compared]) -> str:
    if not found:
        return ""
    least, most = (pick(found, key=lambda each: each.ratio.value) for pick in (min, max))
    ends = [least] if least is most else [least, most]
    return ": " + "; ".join(f"{each.ratio.value:.2f}× ({each.where})" for each in ends)


def _by_length(found: Points) -> tuple[str, str]:
    """The time of an element at the two greatest lengths, which are a factor of ten apart."""
    pairs = []
    of_library: dict[str, list[Point]] = {}
    for point in found.known(P2P.name, P2P.base):
        of_library.setdefault(point.library, []).append(point)
    for library, points in of_library.items():
        points.sort(key=lambda point: point.elements)
        for shorter, longer in itertools.pairwise(points[-2:]):
            factor = longer.elements / shorter.elements
            ratio = found.ratio(shorter, longer)
            if ratio is not None and shorter.elements >= LONG:
                each = Ratio(ratio.a, ratio.b / factor, ratio.low / factor, ratio.high / factor, ratio.p, ratio.repeats)
                pairs.append((f"{library}, {shorter.elements:,} to {longer.elements:,}", each))
    if not pairs:
        return UNKNOWN, "not measured"
    words = "; ".join(
        f"{where}: {each.value:.2f}× (95 % CI {each.low:.2f} to {each.high:.2f})" for where, each in pairs
    )
    if any(each.low > 1 + ALIKE for _, each in pairs):
        return NOT, words
    return (HOLDS if all(each.high <= 1 + ALIKE for _, each in pairs) else UNKNOWN), words


def _published(series: Series, algorithm: str, wanted: Callable[[int, int], bool]) -> str:
    ratios = [
        each
        for (name, processes, elements), found in published(series).items()
        if name == algorithm and wanted(processes, elements)
        for each in found
    ]
    if not ratios:
        return "no table of it is known"
    won, lost = sum(each.low > 1 for each in ratios), sum(each.high < 1 for each in ratios)
    return f"his tables: faster at {won}, slower at {lost} of {len(ratios)} points"


def _published_times(tables: Sequence[int], algorithm: str) -> dict[tuple[str, ...], dict[str, float]]:
    """Milliseconds by release, of each cluster, placement, number of processes and length."""
    times: dict[tuple[str, ...], dict[str, float]] = {}
    for table in tables:
        with (DATA / f"intel_mpi_table{table}.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                if row["algorithm"] == algorithm:
                    key = (row["cluster"], row["placement"], row["processes"], row["elements"])
                    times.setdefault(key, {})[row["version"]] = float(row["time_ms"])
    return times


def _published_releases(tables: tuple[int, ...]) -> str:
    """How many pairs of releases differ by more than 5 %, beyond what rounding leaves open."""
    times = _published_times(tables, P2P.base if 1 in tables else SUM.base)
    pairs = [pair for by in times.values() for pair in itertools.combinations(by.values(), 2)]
    ranges = [ratio_of_rounded(*pair) for pair in pairs]
    apart = sum(low > 1 + ALIKE or high < 1 - ALIKE for _, low, high in ranges)
    return f"his tables: {apart} of {len(pairs)} pairs differ by more than 5 %"


def _growth() -> str:
    times = _published_times((1, 2), P2P.base)
    found = []
    for (*place, elements), by in times.items():
        longer = times.get((*place, str(int(elements) * 10)), {})
        if int(elements) >= LONG:
            found += [
                longer[release] / by[release] / 10
                for release in by
                if release in longer and by[release] > RESOLUTION_MS
            ]
    return f"his tables: {min(found):.2f} to {max(found):.2f} times, from {LONG:,} elements on" if found else "in words"
