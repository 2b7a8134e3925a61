"""How ranks arrived at the collectives of a recorded run, so that algorithms can be compared under the same delays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from leadline.errors import LeadlineError, UsageError
from leadline.operations import operations

MOST_PATTERNS = 32
MOST_US = 2000.0  # who comes later finds the others with nothing left to do
TOGETHER = "together"

Point = tuple[str, int, int]  # operation, bytes, processes
Pattern = tuple[float, ...]  # microseconds by rank, after the first one
Arrivals = Mapping[Point, Sequence[Sequence[float]]]


def of_run(directory: Path, wanted: Iterable[Point]) -> dict[Point, list[Pattern]]:
    """Of the wanted calls those that a kept iteration of the main loop makes on as many ranks: its calls of that size,
    else of any. Raises DamagedTrace, UsageError.
    """
    import leadline

    found = seen(list(leadline.open(directory).timeline("all")))
    patterns = {}
    for point in wanted:
        operation, _, processes = point
        alike = found.get(point) or [
            each for (name, _, size), some in found.items() if (name, size) == (operation, processes) for each in some
        ]
        if alike:
            patterns[point] = spread(alike)
    return patterns


def seen(rows: Sequence[Any]) -> dict[Point, list[Pattern]]:
    """By call, a pattern for each time that it was made.   rows: of the table `timeline`."""
    names = {f"MPI_{operation.function}": name for name, operation in operations().items()}
    found: dict[Point, list[Pattern]] = {}
    done: set[int] = set()
    for number, row in enumerate(rows):
        if number in done or row.function not in names:
            continue
        members = _members(rows, number)
        done.update(members)
        if len(members) < 2:
            continue
        calls = sorted((rows[member] for member in members), key=lambda call: call.rank)
        first = min(call.begin_s for call in calls)
        pattern = tuple(min((call.begin_s - first) * 1e6, MOST_US) for call in calls)
        name = names[row.function]
        found.setdefault((name, _block(name, calls), len(calls)), []).append(pattern)
    return found


def spread(patterns: Sequence[Pattern]) -> list[Pattern]:
    """At most MOST_PATTERNS of them, from all of the run."""
    if len(patterns) <= MOST_PATTERNS:
        return list(patterns)
    return [patterns[i * len(patterns) // MOST_PATTERNS] for i in range(MOST_PATTERNS)]


def of_sizes(arrivals: Arrivals, operation: str, processes: int) -> dict[int, Sequence[Sequence[float]]]:
    """The patterns of one operation on so many ranks, by bytes."""
    wanted = (operation, processes)
    return {n_bytes: patterns for (name, n_bytes, ranks), patterns in arrivals.items() if (name, ranks) == wanted}


def chosen(arrival: str | None, run: Path | None, points: Sequence[Point], say: Callable[[str], None]) -> Arrivals:
    """The patterns for --arrival.   run: that of --from, whose patterns are taken by default.

    Raises UsageError if a run that was named for them has none.
    """
    if arrival == TOGETHER or (arrival is None and run is None):
        return {}
    source = run if arrival is None else Path(arrival)
    assert source is not None
    try:
        found = of_run(source, points)
    except LeadlineError:
        if arrival is not None:
            raise
        found = {}
    without = sorted({operation for operation, n_bytes, ranks in points if (operation, n_bytes, ranks) not in found})
    if arrival is not None and not found:
        raise UsageError(f"{source} has no times of such calls on as many ranks", hint="--arrival together")
    if without:
        say(f"their delays in {source} are unknown, so ranks arrive together: {', '.join(without)}")
    return found


def _members(rows: Sequence[Any], number: int) -> list[int]:
    """The rows of one collective: each names the next rank's."""
    members = [number]
    while (following := rows[members[-1]].partner_row) is not None and following != number:
        if following in members:
            return [number]
        members.append(following)
    return members if following == number else [number]


def _block(name: str, calls: Sequence[Any]) -> int:
    sent = max(call.bytes or 0 for call in calls)
    return sent // len(calls) if operations()[name].contributed.blocks == "per_rank" else sent
