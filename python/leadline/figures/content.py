"""The figures that sections, findings and the verdict share, each computed once.

Times in seconds. Rank labels are those of Run.label. "Time of a rank" is from MPI_Init to MPI_Finalize, of each thread
that called MPI. Shares are of `base_s`: the sum over ranks without these two calls, which grow with the machine and not
with the work, and would hide everything in a short run.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from leadline import _core
from leadline.figures import cut_short
from leadline.figures.control import PausedRank, RegionEntry, paused_ranks, regions
from leadline.figures.core_sharing import HostUse, uses
from leadline.figures.delivery import Delivery, delivery_of
from leadline.figures.efficiency import Efficiency, of_run
from leadline.figures.ending import EndedAtStart, ended_at_start
from leadline.figures.entries import LIBC, STARTUP, Entry, entry_of, most_time_first
from leadline.figures.files import FileIO
from leadline.figures.iterations import Iterations, iterations
from leadline.figures.loops import NamedLoop, other_loops
from leadline.figures.order import Order, order_of, waits_alone
from leadline.figures.paths import chain, chain_key, path_key
from leadline.figures.patterns import PatternEntry, patterns_of
from leadline.figures.phases import PhaseEntry, phases_of
from leadline.figures.rank_times import RankEntry, rank_entry
from leadline.figures.run import Loss, Run, Site
from leadline.figures.samples import Samples, samples_of
from leadline.figures.steps import settle_step
from leadline.figures.time_parts import TimePart, time_parts
from leadline.figures.traffic import MatrixEntry, matrix_of
from leadline.figures.waits import Waits, waits_of

T = TypeVar("T")


@dataclass
class Content:
    """The figures of one run; tables are computed when first asked for.

    iteration: that the timeline is to show besides those that stand for others.
    """

    run: Run
    iteration: int | None = None

    def __post_init__(self) -> None:
        settle_step(self.run)
        self._made: dict[Callable[[Content], Any], Any] = {}

    def once(self, make: Callable[[Content], T]) -> T:
        """What `make` says of these figures; several may ask for it, and it is made when it is first asked for."""
        if make not in self._made:
            self._made[make] = make(self)
        return self._made[make]

    @functools.cached_property
    def losses(self) -> list[Loss]:
        return [*self.run.losses, *self.run.symbol_losses()]

    @functools.cached_property
    def ranks(self) -> list[RankEntry]:
        return [rank_entry(self.run, index) for index in self.run.order]

    @functools.cached_property
    def time_s(self) -> float:
        return sum(rank.time_s for rank in self.ranks)

    @functools.cached_property
    def startup_s(self) -> float:
        """In MPI_Init, MPI_Finalize and the like."""
        return sum(rank.category_s["startup"] for rank in self.ranks)

    @functools.cached_property
    def base_s(self) -> float:
        """What shares refer to: the ranks' time between MPI_Init and MPI_Finalize, without these."""
        return max(self.time_s - self.startup_s, 0.0)

    @functools.cached_property
    def efficiency(self) -> Efficiency | None:
        """Of the run; None if nothing was computed."""
        return of_run(self.ranks)

    @functools.cached_property
    def other_loops(self) -> list[NamedLoop]:
        """Those that may be the steps if the main loop is not."""
        return other_loops(self.run)

    @property
    def waiting_s(self) -> float | None:
        """Of all ranks, for other ranks, as matched calls show it; None if too few of their times were kept."""
        return self.waits.total_s

    @functools.cached_property
    def time_parts(self) -> tuple[TimePart, ...]:
        """Of the time of all ranks."""
        mpi_s = self.mpi_s - self.startup_s - self.mpi_io_s
        files_s = self.io_s + self.mpi_io_s
        return time_parts(self.base_s, mpi_s, files_s, self.own_between_s, self.startup_s, self.waiting_s)

    def share(self, time_s: float) -> float:
        """Of the ranks' time between MPI_Init and MPI_Finalize; 0 if there is none."""
        return time_s / self.base_s if self.base_s > 0 else 0.0

    @functools.cached_property
    def threads(self) -> int:
        """Threads that call MPI; one each in most programs."""
        return sum(max(rank.threads, 1) for rank in self.ranks)

    @property
    def whose_time(self) -> str:
        """The word before "time" that says what shares refer to; "" if it is obvious."""
        return "threads' " if self.threads > len(self.ranks) else ""

    @property
    def time_of(self) -> str:
        """Whose time shares are of: "ranks", or "threads" where several threads of a rank call MPI."""
        return "threads" if self.whose_time else "ranks"

    @functools.cached_property
    def mpi_s(self) -> float:
        return sum(rank.mpi_s for rank in self.ranks)

    @functools.cached_property
    def io_s(self) -> float:
        """Time in libc's file calls between MPI_Init and MPI_Finalize."""
        return sum(rank.io_s for rank in self.ranks)

    @functools.cached_property
    def own_between_s(self) -> float:
        """Leadline's overhead between the program's calls: neither computation nor MPI."""
        return sum(rank.own_between_s for rank in self.ranks)

    @functools.cached_property
    def mpi_io_s(self) -> float:
        """Time in MPI_File_*, which is part of MPI's."""
        return sum(rank.category_s["io"] for rank in self.ranks)

    @property
    def mpi_share(self) -> float:
        """Of the time between start-up and shut-down."""
        return self.share(self.mpi_s - self.startup_s)

    @functools.cached_property
    def ended_at_start(self) -> EndedAtStart:
        return ended_at_start(self.run, running=self.still_running is not None)

    @functools.cached_property
    def still_running(self) -> tuple[int, float] | None:
        """How many ranks are still running on this node, and for how many seconds; None if none is."""
        return cut_short.still_running(self.run)

    @functools.cached_property
    def interruption(self) -> cut_short.Interruption | None:
        """Who ended the run; None if it reached its end, is still running, or was ended by something unknown."""
        return cut_short.interruption(self.run) if self.still_running is None else None

    @property
    def aborts(self) -> list[Entry]:
        """Where MPI_Abort was called."""
        return [place for place in self.places if place.cls == "abort"]

    @property
    def own_share(self) -> float | None:
        """Leadline's own time as a part of the ranks'; None if the ranks' time is too short to compare with."""
        if self.ended_at_start.all_ranks or self.own_s > self.time_s:
            return None
        return self.own_s / self.time_s if self.time_s > 0 else 0.0

    @functools.cached_property
    def functions(self) -> list[Entry]:
        """By MPI function, most time first; local functions too."""
        return self._by_function(files=False)

    @functools.cached_property
    def file_functions(self) -> list[Entry]:
        """By libc's file function, most time first."""
        return self._by_function(files=True)

    @functools.cached_property
    def files(self) -> FileIO:
        return FileIO(self.run)

    @functools.cached_property
    def samples(self) -> Samples:
        """Where the program computes; empty if nobody asked for samples."""
        return samples_of(self.run, sum(rank.computation_s for rank in self.ranks), self.base_s)

    @functools.cached_property
    def iterations(self) -> Iterations | None:
        """Iterations of the main loop, or of the step that the user named; None if there are none."""
        return iterations(self.run)

    @functools.cached_property
    def patterns(self) -> list[PatternEntry]:
        """Patterns of communication and I/O, most time first."""
        return patterns_of(self.run, self._order.patterns, self.base_s)

    @functools.cached_property
    def phases(self) -> list[PhaseEntry]:
        """In the order of the run; what recurs within the main loop, and loops within it, come after it."""
        return phases_of(self.run, self._order.phases, self.waits, self.samples)

    @property
    def found_phases(self) -> list[_core.Phase]:
        """Phases as the analysis found them, with their call sites."""
        return self._order.phases.phases

    @functools.cached_property
    def waits(self) -> Waits:
        """Which calls waited for other ranks, and why; the critical path of a step; the ranks' imbalance."""
        return waits_of(self.run, self._order.waits)

    @functools.cached_property
    def found_waits(self) -> _core.RunWaits | None:
        """Waits as the analysis found them, for those of single calls; None if they are unknown."""
        if self.run.ends_apart:
            return None
        found = self._order.waits if "_order" in self.__dict__ else waits_alone(self.run)
        return found if found.found else None

    @functools.cached_property
    def host_uses(self) -> list[HostUse]:
        """Whether the ranks had processors of their own, by host."""
        return uses(self.run)

    @functools.cached_property
    def _order(self) -> Order:
        return order_of(self.run)

    @functools.cached_property
    def regions(self) -> list[RegionEntry]:
        return regions(self.run)

    @functools.cached_property
    def paused(self) -> list[PausedRank]:
        return paused_ranks(self.run)

    def _by_function(self, *, files: bool) -> list[Entry]:
        names = self.run.profile.functions
        groups: dict[int, list[int]] = {}
        local: dict[int, bool] = {}
        for index, (function, is_local, _) in enumerate(self.run.profile.sites()):
            if (names[function].cls in LIBC) != files:
                continue
            groups.setdefault(function, []).append(index)
            local[function] = local.get(function, True) and is_local
        rows = self.run.profile.rows(list(groups.values()))
        entries = [
            self._entry(names[function].name, row, names[function].cls, local=local[function])
            for function, row in zip(groups, rows, strict=True)
            if row.total.calls > 0
        ]
        return sorted(entries, key=most_time_first)

    @functools.cached_property
    def sites(self) -> list[Entry]:
        """By call site, most time first; local functions too."""
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
        return sorted(entries, key=most_time_first)

    @functools.cached_property
    def places(self) -> list[Entry]:
        """Call sites as users see them: those of one function at one line with one call path are merged.

        Only `sites` says which line of an outer routine the chain went through, and how the program came to its
        outermost one.
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
        return sorted(entries, key=most_time_first)

    @functools.cached_property
    def routines(self) -> list[Entry]:
        """Routines of the program, each with all calls made in it and in the routines it calls, most time first."""
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
        """By call path ("trcadv > exchange"), all MPI functions and lines together, most time first."""
        return self._grouped(lambda site: {chain_key(site.path): chain(site.path)} if site.path else {})

    @functools.cached_property
    def matrix(self) -> list[MatrixEntry]:
        """Messages by sender and receiver (sends only), operations by origin and target, in display order."""
        return matrix_of(self.run)

    @functools.cached_property
    def delivery(self) -> Delivery:
        return delivery_of(self.run)

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
    def _everything(self) -> _core.Row:
        names = self.run.profile.functions
        sites = enumerate(self.run.profile.sites())
        return self.run.profile.rows([[i for i, site in sites if names[site[0]].cls not in LIBC]])[0]

    def _grouped(self, keys_of: Callable[[Site], Mapping[Any, str]]) -> list[Entry]:
        """Without the calls that start and end MPI, which no share is of."""
        starting = {function.name for function in self.run.profile.functions if function.cls in STARTUP}
        groups: dict[Any, list[int]] = {}
        shown: dict[Any, str] = {}
        for site in self.run.sites:
            if site.function in starting:
                continue
            for key, name in keys_of(site).items():
                groups.setdefault(key, []).extend(site.members)
                shown[key] = name
        rows = self.run.profile.rows(list(groups.values()))
        entries = [
            replace(self._entry(shown[key], row), key=key)
            for key, row in zip(groups, rows, strict=True)
            if row.total.calls > 0
        ]
        return sorted(entries, key=most_time_first)

    def _entry(self, name: str, row: _core.Row, cls: str = "", **more: Any) -> Entry:
        return entry_of(name, row, self.base_s, self.run.label, cls, **more)
