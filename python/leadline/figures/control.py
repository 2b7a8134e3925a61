"""Facts that the program gives (named regions, pauses), and facts that the MPI library gives (variables, settings)."""

from __future__ import annotations

from dataclasses import dataclass

from leadline.figures.run import Run


@dataclass(frozen=True)
class PausedRank:
    """When recording was paused on a rank. intervals: (from, to) in s since its MPI_Init; to None: until the end."""

    rank: str
    times: int
    seconds: float
    calls: int
    intervals: tuple[tuple[float, float | None], ...]


def paused_ranks(run: Run) -> list[PausedRank]:
    found = []
    for index in run.order:
        pauses = run.processes[index].pauses
        if not pauses.count:
            continue
        intervals: list[tuple[float, float | None]] = [(begin * 1e-9, end * 1e-9) for begin, end in pauses.first]
        if pauses.lasted and len(intervals) == pauses.count:
            intervals[-1] = (intervals[-1][0], None)
        found.append(PausedRank(run.label(index), pauses.count, pauses.sum_ns * 1e-9, pauses.calls, tuple(intervals)))
    return found


@dataclass(frozen=True)
class RegionEntry:
    """A named region of the program, at its place: the same name within another region is another entry.

    path: names from the outermost on.   time_s: from entering to leaving, over all threads and ranks, regions within it
    included; so are mpi_s, calls, messages and n_bytes (local functions aside).   min, max: over ranks.
    """

    path: tuple[str, ...]
    entries: int
    time_s: float
    mpi_s: float
    calls: int
    messages: int
    n_bytes: int
    time_min_s: float
    time_max_s: float
    max_rank: str
    operations: int  # one-sided
    bytes_put: int
    bytes_got: int

    @property
    def name(self) -> str:
        return self.path[-1]


def regions(run: Run) -> list[RegionEntry]:
    """Outer regions before those within them; beside one another, most time first."""
    named = run.profile.regions
    if len(named) < 2:
        return []
    paths: list[tuple[str, ...]] = [()]
    for region in named[1:]:
        paths.append((*paths[region.parent], region.name))
    members: list[list[int]] = [[] for _ in named]
    for site, region_of_site in enumerate(run.profile.region_of_sites()):
        at = region_of_site
        while at:
            members[at].append(site)
            at = named[at].parent
    rows = run.profile.rows(members)
    times: list[list[float]] = [[0.0] * len(run.order) for _ in named]
    entries = [0] * len(named)
    for place, index in enumerate(run.order):
        for spent in run.processes[index].regions:
            times[spent.region][place] += spent.sum_ns * 1e-9
            entries[spent.region] += spent.entries
    found = {}
    for number in range(1, len(named)):
        total, by_rank = rows[number].total, times[number]
        if not entries[number] and not total.calls:
            continue
        longest = by_rank.index(max(by_rank))
        found[number] = RegionEntry(
            paths[number],
            entries[number],
            sum(by_rank),
            total.time_ns * 1e-9,
            total.calls,
            total.messages,
            total.sent + total.contributed,
            min(by_rank),
            by_rank[longest],
            run.label(run.order[longest]),
            total.operations,
            total.put,
            total.got,
        )

    def in_order(parent: int) -> list[RegionEntry]:
        inner = [n for n in range(1, len(named)) if named[n].parent == parent and n != parent]
        inner.sort(key=lambda n: -found[n].time_s if n in found else 0.0)
        return [entry for n in inner for entry in ([found[n]] if n in found else []) + in_order(n)]

    return in_order(0)


CLASSES = ("state", "level", "size", "percentage", "highwatermark", "lowwatermark", "counter", "aggregate", "timer")
UNITS = {"size": "items", "percentage": "fraction", "timer": "per the MPI library"}


@dataclass(frozen=True)
class Variable:
    """A performance variable of the MPI library (MPI_T), read before MPI_Finalize. values: by rank that has it.

    Of a variable with many elements (a queue per partner) the value is their sum.
    """

    name: str
    description: str
    cls: str
    values: tuple[tuple[str, float], ...]

    @property
    def unit(self) -> str | None:
        return UNITS.get(self.cls)


def variables(run: Run) -> list[Variable]:
    """Variables that were not 0 everywhere, by name. Two with the same name (Intel has some) differ by class."""
    found: dict[tuple[str, str], tuple[str, list[tuple[str, float]]]] = {}
    for index in run.order:
        for variable in run.processes[index].variables:
            cls = CLASSES[variable.cls] if variable.cls < len(CLASSES) else "generic"
            _, values = found.setdefault((variable.name, cls), (variable.description, []))
            values.append((run.label(index), variable.value))
    return [
        Variable(name, description, cls, tuple(values))
        for (name, cls), (description, values) in sorted(found.items())
        if any(value for _, value in values)
    ]


@dataclass(frozen=True)
class LibrarySetting:
    """A setting of the MPI library in the environment. ranks: those that have it, None: all."""

    name: str
    value: str
    ranks: tuple[str, ...] | None


def settings(run: Run) -> list[LibrarySetting]:
    found: dict[tuple[str, str], list[str]] = {}
    for index in run.order:
        for setting in run.processes[index].settings:
            found.setdefault((setting.name, setting.value), []).append(run.label(index))
    everybody = len(run.processes)
    return [
        LibrarySetting(name, value, None if len(ranks) == everybody else tuple(ranks))
        for (name, value), ranks in sorted(found.items())
    ]
