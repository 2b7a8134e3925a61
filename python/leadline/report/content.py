"""Every figure of the report, once, for the terminal and for JSON alike.

Times in seconds. Rank labels are those of Run.label. "Time of a rank" is from MPI_Init to MPI_Finalize, of each thread
that called MPI; shares are of the sum over ranks.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from leadline import _core
from leadline.report.conditions import Condition, conditions
from leadline.report.control import PausedRank, paused_ranks
from leadline.report.ending import EndedAtStart, ended_at_start
from leadline.report.files import FileIO
from leadline.run import Loss, Run, Site
from leadline.symbols import Location

# Classes of functions whose bytes are those they receive.
RECEIVING = {"recv", "irecv", "mrecv", "imrecv", "recv_init", "precv_init"}
COLLECTIVE = {"coll", "icoll", "coll_init"}
FILE_IO = {"file_io", "file_iio"}
LONGEST_CHAIN = 4


@dataclass(frozen=True)
class Spread:
    """Over all ranks, those that never called included as 0; the ranks are the first with the extreme."""

    min: float
    median: float
    max: float
    min_rank: str
    max_rank: str


@dataclass(frozen=True)
class Entry:
    """One line of a table: a function, a call site or a routine.

    n_bytes: of sends posted, of receives received, of collectives contributed, of writes and puts moved.
    bytes_received: of receives, collectives, reads and gets.   per_call_*: of single calls, 0 where not known.
    operations: one-sided; bytes_put and bytes_got are theirs, and among n_bytes and bytes_received.
    """

    name: str
    calls: int
    messages: int
    n_bytes: int
    bytes_received: int
    time_s: float
    share: float
    mean_s: float
    per_call_min_s: float
    per_call_max_s: float
    per_call_max_rank: str
    ranks: int
    calls_spread: Spread
    messages_spread: Spread
    bytes_spread: Spread
    time_spread: Spread
    sizes: _core.Sizes
    operations: int
    bytes_put: int
    bytes_got: int
    operation_sizes: _core.Sizes
    cls: str = ""
    local: bool = False
    site: Site | None = None
    sites: Sequence[Site] = ()  # of a place: the call sites it stands for
    key: Any = None  # what it was grouped by
    at_least: bool = False  # of a routine: there may be more beneath it, see partly_seen

    @property
    def moved_bytes(self) -> int:
        """What a table shows as its bytes: those got are moved as well as those put, and those read."""
        return self.n_bytes + (self.bytes_received if self.cls in FILE_IO else self.bytes_got)


@dataclass(frozen=True)
class RankEntry:
    """What one process did. time_s = computation_s + mpi_s + io_s, over its threads, while recording was not paused.

    io_s: in libc's file calls.
    """

    rank: str
    host: str
    pid: int
    threads: int
    duration_s: float
    time_s: float
    computation_s: float
    mpi_s: float
    io_s: float
    category_s: dict[str, float]
    category_calls: dict[str, int]
    calls: int
    messages: int
    bytes_sent: int
    bytes_received: int
    contributed: int
    collected: int
    operations: int
    bytes_put: int
    bytes_got: int
    own_s: float
    trace_bytes: int
    finalized: bool
    complete: bool


@dataclass(frozen=True)
class MatrixEntry:
    """Messages from one rank to another; target None: a partner that could not be identified.

    And one-sided operations, whose source is the rank that calls: bytes_put flow to the target, bytes_got from it.
    """

    source: str
    target: str | None
    messages: int
    n_bytes: int
    operations: int
    bytes_put: int
    bytes_got: int


@dataclass
class NotRecorded:
    what: str
    why: str


@dataclass
class Content:
    """The figures of one run; tables are computed when first asked for."""

    run: Run
    losses: list[Loss] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.losses = [*self.run.losses, *self.run.symbol_losses()]

    @functools.cached_property
    def ranks(self) -> list[RankEntry]:
        return [_rank_entry(self.run, index) for index in self.run.order]

    @functools.cached_property
    def time_s(self) -> float:
        return sum(rank.time_s for rank in self.ranks)

    @functools.cached_property
    def conditions(self) -> list[Condition]:
        return conditions(self.run)

    @functools.cached_property
    def threads(self) -> int:
        """Threads that call MPI; one each in most programs."""
        return sum(max(rank.threads, 1) for rank in self.ranks)

    @property
    def whose_time(self) -> str:
        """What shares are of, as a word before "time"; "" where it goes without saying."""
        return "threads' " if self.threads > len(self.ranks) else ""

    @functools.cached_property
    def mpi_s(self) -> float:
        return sum(rank.mpi_s for rank in self.ranks)

    @functools.cached_property
    def io_s(self) -> float:
        """Time in libc's file calls between MPI_Init and MPI_Finalize."""
        return sum(rank.io_s for rank in self.ranks)

    @property
    def mpi_share(self) -> float:
        return self.mpi_s / self.time_s if self.time_s > 0 else 0.0

    @functools.cached_property
    def ended_at_start(self) -> EndedAtStart:
        return ended_at_start(self.run)

    @property
    def own_share(self) -> float | None:
        """Leadline's own time as a part of the ranks'; None where there is too little of that to compare with."""
        if self.ended_at_start.all_ranks or self.own_s > self.time_s:
            return None
        return self.own_s / self.time_s if self.time_s > 0 else 0.0

    @functools.cached_property
    def functions(self) -> list[Entry]:
        """By MPI function, most time first; purely local functions too."""
        return self._by_function(files=False)

    @functools.cached_property
    def file_functions(self) -> list[Entry]:
        """By libc's file function, most time first."""
        return self._by_function(files=True)

    @functools.cached_property
    def files(self) -> FileIO:
        return FileIO(self.run)

    def _by_function(self, *, files: bool) -> list[Entry]:
        names = self.run.profile.functions
        groups: dict[int, list[int]] = {}
        local: dict[int, bool] = {}
        for index, (function, is_local, _) in enumerate(self.run.profile.sites()):
            if names[function].cls.startswith("posix_") != files:
                continue
            groups.setdefault(function, []).append(index)
            local[function] = local.get(function, True) and is_local
        rows = self.run.profile.rows(list(groups.values()))
        entries = [
            self._entry(names[function].name, row, names[function].cls, local=local[function])
            for function, row in zip(groups, rows, strict=True)
            if row.total.calls > 0
        ]
        return sorted(entries, key=_most_time_first)

    @functools.cached_property
    def sites(self) -> list[Entry]:
        """By call site, most time first; purely local functions too."""
        return self._by_site(self.run.sites)

    @functools.cached_property
    def file_sites(self) -> list[Entry]:
        """By call site of libc's file functions, most time first."""
        return self._by_site(self.run.file_sites)

    def _by_site(self, sites: list[Site]) -> list[Entry]:
        classes = {function.name: function.cls for function in self.run.profile.functions}
        rows = self.run.profile.rows([list(site.members) for site in sites])
        entries = [
            self._entry(site.function, row, classes[site.function], local=site.local, site=site)
            for site, row in zip(sites, rows, strict=True)
            if row.total.calls > 0
        ]
        return sorted(entries, key=_most_time_first)

    @functools.cached_property
    def places(self) -> list[Entry]:
        """Call sites for people: those of one function at one line with one chain of routines are one.

        Which line of an outer routine the chain went through, and how the program came to its outermost one, is told by
        `sites` only.
        """
        groups: dict[Any, list[Site]] = {}
        for site in self.run.sites:
            where = (site.path[-1].place(), site.path[-1].apart) if site.path else ("", -1)
            groups.setdefault((site.function, site.local, chain_key(site.path), where), []).append(site)
        classes = {function.name: function.cls for function in self.run.profile.functions}
        rows = self.run.profile.rows(
            [[member for site in sites for member in site.members] for sites in groups.values()]
        )
        entries = []
        for sites, row in zip(groups.values(), rows, strict=True):
            first = sites[0]
            if row.total.calls > 0:
                entry = self._entry(first.function, row, classes[first.function], local=first.local, site=first)
                entries.append(replace(entry, sites=sites))
        return sorted(entries, key=_most_time_first)

    @functools.cached_property
    def routines(self) -> list[Entry]:
        """By routine of the program, with everything called beneath it, most time first."""
        entries = self._grouped(lambda site: {location.full: location.routine for location in site.path})
        return [replace(entry, at_least=entry.key in self.partly_seen) for entry in entries]

    @functools.cached_property
    def partly_seen(self) -> set[str]:
        """Routines (full names) whose figures are at least those in `routines`.

        Paths are whole as a rule. Where one is not (no unwind tables, a stack of the program's own making), its
        outermost routine was called by something, and every routine that is known to lead there may have been it.
        """
        callers: dict[str, set[str]] = {}
        pending = []
        for site in self.run.sites:
            names = path_key(site.path)
            for caller, called in itertools.pairwise(names):
                callers.setdefault(called, set()).add(caller)
            if names and not site.whole and not site.local:
                pending.append(names[0])
        found: set[str] = set()
        while pending:
            for caller in callers.get(pending.pop(), ()):
                if caller not in found:
                    found.add(caller)
                    pending.append(caller)
        return found

    @functools.cached_property
    def call_paths(self) -> list[Entry]:
        """By chain of routines ("trcadv > exchange"), whatever MPI function and line, most time first."""
        return self._grouped(lambda site: {chain_key(site.path): chain(site.path)} if site.path else {})

    @functools.cached_property
    def matrix(self) -> list[MatrixEntry]:
        """Messages by sender and receiver (sends only), operations by origin and target, in display order."""
        entries = []
        place = {index: n for n, index in enumerate(self.run.order)}
        for edge in self.run.profile.edges():
            target = self.run.process_of(edge.source, edge.target)
            if target is not None:
                label: str | None = self.run.label(target)
            else:  # a rank without a trace still has its number
                label = str(edge.target) if edge.target >= 0 and len(self.run.worlds) == 1 else None
            order = place[target] if target is not None else len(place)
            source = self.run.label(edge.source)
            entry = MatrixEntry(source, label, edge.messages, edge.bytes, edge.operations, edge.put, edge.got)
            entries.append((place[edge.source], order, entry))
        return [entry for _, _, entry in sorted(entries, key=lambda e: (e[0], e[1]))]

    @functools.cached_property
    def sizes(self) -> _core.Sizes:
        """Messages of the whole run by size."""
        return self._everything.sizes

    @functools.cached_property
    def operation_sizes(self) -> _core.Sizes:
        """One-sided operations of the whole run by size."""
        return self._everything.operation_sizes

    @property
    def operations(self) -> int:
        """One-sided: puts, gets and accumulates at a real target."""
        return self._everything.total.operations

    @property
    def bytes_put(self) -> int:
        return self._everything.total.put

    @property
    def bytes_got(self) -> int:
        return self._everything.total.got

    @functools.cached_property
    def calls(self) -> int:
        return self._everything.total.calls

    @property
    def messages(self) -> int:
        return self._everything.total.messages

    @property
    def message_bytes(self) -> int:
        """Bytes of all messages (sends as posted)."""
        return sum(edge.bytes for edge in self.run.profile.edges())

    @property
    def own_s(self) -> float:
        return sum(rank.own_s for rank in self.ranks)

    @property
    def trace_bytes(self) -> int:
        return sum(rank.trace_bytes for rank in self.ranks) + self.run.shared_bytes

    @functools.cached_property
    def not_recorded(self) -> list[NotRecorded]:
        return _not_recorded(self.run)

    @functools.cached_property
    def _everything(self) -> _core.Row:
        names = self.run.profile.functions
        sites = enumerate(self.run.profile.sites())
        return self.run.profile.rows([[i for i, site in sites if not names[site[0]].cls.startswith("posix_")]])[0]

    def _grouped(self, keys_of: Callable[[Site], Mapping[Any, str]]) -> list[Entry]:
        groups: dict[Any, list[int]] = {}
        shown: dict[Any, str] = {}
        for site in self.run.sites:
            for key, name in keys_of(site).items():
                groups.setdefault(key, []).extend(site.members)
                shown[key] = name
        rows = self.run.profile.rows(list(groups.values()))
        entries = [
            replace(self._entry(shown[key], row), key=key)
            for key, row in zip(groups, rows, strict=True)
            if row.total.calls > 0
        ]
        return sorted(entries, key=_most_time_first)

    def _entry(
        self, name: str, row: _core.Row, cls: str = "", *, local: bool = False, site: Site | None = None
    ) -> Entry:
        total = row.total
        receives = cls in RECEIVING
        received = total.received + total.collected
        sent = total.sent + total.contributed
        time_s = total.time_ns * 1e-9
        return Entry(
            name=name,
            calls=total.calls,
            messages=total.messages,
            n_bytes=received if receives else sent,
            bytes_received=received,
            time_s=time_s,
            share=time_s / self.time_s if self.time_s > 0 else 0.0,
            mean_s=time_s / total.calls if total.calls else 0.0,
            per_call_min_s=row.min_ns * 1e-9,
            per_call_max_s=row.max_ns * 1e-9,
            per_call_max_rank=self.run.label(row.max_ns_process),
            ranks=row.processes,
            calls_spread=self._spread(row.calls),
            messages_spread=self._spread(row.messages),
            bytes_spread=self._spread(row.received if receives else row.bytes),
            time_spread=self._spread(row.time_ns, 1e-9),
            sizes=row.sizes,
            operations=total.operations,
            bytes_put=total.put,
            bytes_got=total.got,
            operation_sizes=row.operation_sizes,
            cls=cls,
            local=local,
            site=site,
        )

    def _spread(self, spread: _core.Spread, factor: float = 1.0) -> Spread:
        return Spread(
            spread.min * factor,
            spread.median * factor,
            spread.max * factor,
            self.run.label(spread.min_process),
            self.run.label(spread.max_process),
        )


def path_key(path: Sequence[Location]) -> tuple[str, ...]:
    """The routines of a path by their full names."""
    return tuple(location.full for location in path)


def chain_key(path: Sequence[Location]) -> tuple[str, ...]:
    """What makes two paths one chain of routines: the innermost ones, as chain() shows them."""
    return tuple(_innermost(path_key(path)))


def chain(path: Sequence[Location]) -> str:
    """The routines of a path, the innermost four, as "trcadv > exchange"."""
    return " > ".join(_innermost([location.routine for location in path]))


def shared_chain(sites: Sequence[Site]) -> list[str]:
    """The routines that the paths have in common, outermost first; a "…" first where there are others further out."""
    paths = [site.path for site in sites]
    first = paths[0]
    common = len(first)
    for path in paths[1:]:
        ends = zip(reversed(first[len(first) - common :]), reversed(path), strict=False)
        common = sum(1 for _ in itertools.takewhile(lambda pair: pair[0].full == pair[1].full, ends))
    routines = [location.routine for location in first[len(first) - common :]]
    return routines if all(len(path) == common for path in paths) else ["…", *routines]


def without_main(routines: Sequence[str]) -> list[str]:
    """The routines of a path, outermost first, without a main that only calls them."""
    return list(routines[1:] if len(routines) > 1 and routines[0] == "main" else routines)


def _innermost(routines: Sequence[str]) -> list[str]:
    shown = without_main(routines)
    return shown if len(shown) <= LONGEST_CHAIN else ["…", *shown[-LONGEST_CHAIN:]]


def _most_time_first(entry: Entry) -> tuple[float, int, str]:
    return (-entry.time_s, -entry.calls, entry.name)


def _rank_entry(run: Run, index: int) -> RankEntry:
    process = run.processes[index]
    mpi_s = process.total.time_ns * 1e-9
    io_s = process.files_ns * 1e-9
    duration_s = process.duration_ns * 1e-9
    if process.threads <= 1:
        computation_s = max(duration_s - mpi_s - io_s - process.pauses.sum_ns * 1e-9, 0.0)
    else:  # calls to purely local functions lie in the gaps between the others
        local_s = process.category_ns[_core.CATEGORIES.index("local")] * 1e-9
        computation_s = max(process.gap_ns * 1e-9 - local_s, 0.0)
    return RankEntry(
        rank=run.label(index),
        host=process.host,
        pid=process.pid,
        threads=process.threads,
        duration_s=duration_s,
        time_s=computation_s + mpi_s + io_s,
        computation_s=computation_s,
        mpi_s=mpi_s,
        io_s=io_s,
        category_s={name: ns * 1e-9 for name, ns in zip(_core.CATEGORIES, process.category_ns, strict=True)},
        category_calls=dict(zip(_core.CATEGORIES, process.category_calls, strict=True)),
        calls=process.total.calls,
        messages=process.total.messages,
        bytes_sent=process.total.sent,
        bytes_received=process.total.received,
        contributed=process.total.contributed,
        collected=process.total.collected,
        operations=process.total.operations,
        bytes_put=process.total.put,
        bytes_got=process.total.got,
        own_s=process.own_overhead_ns * 1e-9,
        trace_bytes=process.file_bytes,
        finalized=process.finalized,
        complete=process.complete,
    )


def _not_recorded(run: Run) -> list[NotRecorded]:
    entries = []
    absent = run.ranks - len(run.processes)
    if absent > 0:
        entries.append(NotRecorded(f"{absent} of {run.ranks} ranks", "no readable trace file of theirs is in the run"))
    early = [run.label(index) for index in run.order if not run.processes[index].finalized]
    if early:
        entries.append(
            NotRecorded(
                f"the end of {_labels(early)}",
                "MPI_Finalize was not reached (killed, MPI_Abort, no call of it); calls up to the last flush are here",
            )
        )
    for group in _alike(paused_ranks(run)):
        first = group[0]
        calls = sum(rank.calls for rank in group)
        when = f"{first.times} times" if first.times > 1 else _when(first)
        entries.append(
            NotRecorded(
                f"{_labels([rank.rank for rank in group])} while paused ({when}, "
                f"{max(rank.seconds for rank in group):.3g} s)",
                f"the program (MPI_Pcontrol) or --start-paused asked for it; {calls} calls were made meanwhile, "
                "purely local ones aside",
            )
        )
    if {"MPI_Win_allocate_shared", "MPI_Win_shared_query"} & {f.name for f in run.profile.functions}:
        entries.append(
            NotRecorded(
                "loads and stores in shared-memory windows",
                "what ranks exchange through them is no call of MPI; puts, gets and accumulates on them are here",
            )
        )
    if unplaced := sum(process.unplaced_polls for process in run.processes):
        placed = sum(process.placed_polls for process in run.processes)
        entries.append(
            NotRecorded(
                f"where {unplaced:,} of {placed + unplaced:,} runs of failed polls were",
                "their places are kept up to some kilobytes a thread; every poll is counted and timed",
            )
        )
    if not all(process.files_recorded for process in run.processes):
        entries.append(NotRecorded("file I/O outside MPI_File_*", "the recording is of a version without it"))
    others = [process.placement.busy - max(process.threads, 1) for process in run.processes]
    if max(others, default=0) > 0:
        entries.append(
            NotRecorded(
                f"threads that call no MPI function ({max(others)} ran on a rank)",
                "times and shares are those of the threads that call MPI",
            )
        )
    entries.append(
        NotRecorded("time before MPI_Init and after MPI_Finalize", "a rank's time begins and ends with them")
    )
    return entries


def _alike(ranks: list[PausedRank]) -> list[list[PausedRank]]:
    """Ranks that were paused equally often, together."""
    groups: dict[int, list[PausedRank]] = {}
    for rank in ranks:
        groups.setdefault(rank.times, []).append(rank)
    return list(groups.values())


def _when(rank: PausedRank) -> str:
    begin, end = rank.intervals[0]
    return f"from {begin:.3g} s " + ("to the end" if end is None else f"to {end:.3g} s")


def _labels(labels: Sequence[str]) -> str:
    if len(labels) == 1:
        return f"rank {labels[0]}"
    shown = ", ".join(labels[:8])
    return f"ranks {shown}" + (f" and {len(labels) - 8} more" if len(labels) > 8 else "")
