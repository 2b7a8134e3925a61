"""Finds a table: measures, chooses, refines where the choice changes, and measures the chosen algorithms once more."""

from __future__ import annotations

import os
import platform
import shlex
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from leadline import mpi
from leadline.bench import measure
from leadline.bench.asking import Algorithm, is_measurable, portfolio
from leadline.bench.bounds import Model
from leadline.bench.grid import Dims, default_dims, in_words
from leadline.bench.launching import Launch
from leadline.bench.rows import Measurement, machine
from leadline.bench.together import Request, measure_together
from leadline.operations import operations
from leadline.text import format as fmt
from leadline.tuning import guidelines
from leadline.tuning.arriving import Arrivals, of_sizes
from leadline.tuning.calls import Calls
from leadline.tuning.choosing import Choice, choices, choose, dropped, gaps, middle, not_slower, refine, rules
from leadline.tuning.modelled import Modelled
from leadline.tuning.table import Table
from leadline.tuning.within import CHOOSING, CONFIRMING, PASSES, REFINING, Budget, Point, parts_of, without_time

SIZES = (8, 64, 512, 4096, 16384, 65536, 262144, 1048576)
SEGMENTS = (8192, 65536)
LARGE = 65536  # bytes from which cutting a message is worth trying
SCREENING = 30  # rounds of a first launch, where there are more candidates than
FEW = 3
ROW = 20  # back-to-back operations: a rank that is done with one is already at the next
BUSY = 0.2  # share of the time that other work took, from which on the user gets a message

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Wanted:
    """The request. ranks: numbers of processes. calls: those of a recorded run, instead of sizes and ranks.

    algorithms: by operation, as leadline bench names them; None: all that may be best.
    launcher: words before the program, with {ranks} for the number of processes; "": the library's own on this host.
    limit_s: for all of it; 0: none.
    guidelines: tune only where the library breaks one.   arrivals: patterns of calls whose ranks come apart.
    grids: of ranks whose neighbours exchange data, by their number.
    model: what takes much longer than the best one in it is not measured.
    """

    library: mpi.Library
    operations: tuple[str, ...]
    sizes: tuple[int, ...] = SIZES
    ranks: tuple[int, ...] = (2,)
    calls: tuple[Calls, ...] = ()
    launches: int = 4
    rounds: int = 150
    seconds: float = 1.0
    refinements: int = 6
    closest: float = 1.5
    algorithms: Mapping[str, Sequence[str]] | None = None
    launcher: str = ""
    seed: int = 1
    guidelines: bool = False
    limit_s: float = 0.0
    arrivals: Arrivals = field(default_factory=dict)
    grids: Mapping[int, Dims] = field(default_factory=dict)
    model: Model | None = None

    def sizes_of(self, operation: str, processes: int) -> tuple[int, ...]:
        """The sizes that can be measured."""
        return tuple(size for size in self._all_sizes(operation, processes) if is_measurable(operation, size))

    def left_out(self, operation: str, processes: int) -> tuple[int, ...]:
        """The other sizes."""
        return tuple(size for size in self._all_sizes(operation, processes) if not is_measurable(operation, size))

    def _all_sizes(self, operation: str, processes: int) -> tuple[int, ...]:
        has_data = operations()[operation].has_data
        if not self.calls:
            return self.sizes if has_data else (0,)
        found = {c.n_bytes for c in self.calls if (c.operation, c.processes) == (operation, processes)}
        return tuple(sorted(size for size in found if size or not has_data))

    def grid_of(self, processes: int) -> Dims:
        return self.grids.get(processes) or default_dims(processes)

    @property
    def counts(self) -> tuple[int, ...]:
        if not self.calls:
            return self.ranks
        return tuple(sorted({call.processes for call in self.calls if call.operation in self.operations}))


@dataclass
class Tuned:
    """rows: of the measurements that chose.   again: of those in fresh launches.   written, in_a_row: of those in other
    circumstances.   lost: what did not hold there.   kept: what did, of which the rules are made.

    broken: guidelines that the library breaks, as leadline.bench.guidelines has them; None if that was not asked for.
    without_time: points that were not measured to the end, because the time was over: the library's own stays.
    modelled: what the model left out.
    """

    table: Table
    rows: Rows = field(default_factory=list)
    again: Rows = field(default_factory=list)
    written: Rows = field(default_factory=list)
    in_a_row: Rows = field(default_factory=list)
    lost: list[Choice] = field(default_factory=list)
    kept: list[Choice] = field(default_factory=list)
    broken: list[dict[str, Any]] | None = None
    without_time: list[Point] = field(default_factory=list)
    modelled: Modelled = field(default_factory=Modelled)


@dataclass(frozen=True)
class Group:
    """Sizes of an operation, with the candidates to try there.   left_out: by size, those that are not tried."""

    operation: str
    processes: int
    sizes: tuple[int, ...]
    names: tuple[str, ...]
    left_out: Mapping[int, frozenset[str]] = field(default_factory=dict)

    @property
    def most(self) -> int:
        """Candidates of a size."""
        return max(len(self.names) - len(self.left_out.get(size, ())) for size in self.sizes)


def tune(wanted: Wanted, say: Callable[[str], None], progress: Callable[[str], None] | None = None) -> Tuned:
    """Find the table.

    say: is given what the user should keep, such as what was dropped.   progress: a line for each launch.
    Raises UsageError, MissingPrerequisite, MeasurementFailed.
    """
    known = portfolio()
    bench = Bench(wanted, say, progress or (lambda _: None))
    groups: list[Group] = []
    found: list[Choice] = []
    broken: list[dict[str, Any]] = []
    modelled = Modelled(wanted.model)
    for operation in wanted.operations:
        for processes in wanted.counts:
            if not_whole := wanted.left_out(operation, processes):
                which = ", ".join(map(str, not_whole))
                say(f"skipped: {operation} of {which} bytes on {processes} ranks: not a multiple of 8 bytes")
            to_tune = wanted.sizes_of(operation, processes)
            if wanted.guidelines:
                point = (operation, processes)
                of_point = guidelines.broken(bench.guidelines, say, wanted.launcher, point, to_tune)
                to_tune, good = guidelines.split(to_tune, of_point)
                found += [Choice(operation, size, processes, "native", launches=wanted.launches) for size in good]
                broken += of_point
            with_names = _groups(wanted, operation, to_tune, known)
            for sizes, names in with_names:
                left_out = modelled.left_out(operation, sizes, processes, names)
                groups.append(Group(operation, processes, sizes, tuple(names), left_out))
    rows: Rows = []
    for measured in bench.choose_all(groups, wanted.seed, CHOOSING):
        rows += measured
        found += choices(measured, wanted.launches)
    if not wanted.calls and wanted.limit_s:
        found = _refine_at_once(bench, found, rows)
    elif not wanted.calls:

        def between(operation: str, n_bytes: int, processes: int, names: list[str]) -> Choice:
            choice = f"library default or {' or '.join(names)}"
            bench.progress(f"crossover: {operation} of {n_bytes} bytes on {processes} ranks: {choice}")
            measured = bench.choose(operation, (n_bytes,), processes, names, wanted.seed + 100)
            rows.extend(measured)
            return choose(measured, wanted.launches)

        found = refine(found, between, wanted.closest, wanted.refinements)
    if wanted.model is not None:
        say(modelled.sentence)
    tuned = Tuned(Table(()), rows, broken=broken if wanted.guidelines else None, modelled=modelled)
    tuned.kept = _confirm(bench, found, tuned)
    tuned.without_time = without_time([*rows, *tuned.again, *tuned.written, *tuned.in_a_row], wanted.launches)
    for choice in tuned.lost:
        if (choice.operation, choice.n_bytes, choice.processes) not in tuned.without_time:
            say(
                f"dropped: {choice.algorithm} for {choice.operation} of {choice.n_bytes} bytes on {choice.processes} "
                f"ranks ({choice.ratio:.2f}× at first, not confirmed in fresh launches)"
            )
    if wanted.limit_s:
        say(_left_out(tuned, groups))
    for violation in guidelines.with_repairs(broken, tuned.kept):
        say(guidelines.said(violation))
    here = machine(bench.launches)
    noise = here["noise"] or {}
    if not here["oversubscribed"] and noise.get("lost_share_median", 0) > BUSY:
        say(
            f"The machine was busy: other processes took {fmt.percent(noise['lost_share_median'])} of the time. "
            "On an idle machine, more algorithms may win."
        )
    tuned.table = Table(rules(tuned.kept), _evidence(wanted, bench, tuned))
    return tuned


def _refine_at_once(bench: Bench, found: list[Choice], rows: Rows) -> list[Choice]:
    """As `refine`, but all gaps of a pass are halved in the same launches. Adds to `rows`."""
    wanted = bench.wanted
    left = wanted.refinements
    for number in range(PASSES):
        found = sorted(found, key=lambda c: (c.operation, c.processes, c.n_bytes))
        widest = sorted(gaps(found, wanted.closest), key=lambda gap: -gap[1].n_bytes / max(gap[0].n_bytes, 1))[:left]
        left -= len(widest)
        groups = [
            Group(
                one.operation,
                one.processes,
                (middle(one.n_bytes, other.n_bytes),),
                tuple(name for name in dict.fromkeys([one.algorithm, other.algorithm]) if name != "native"),
            )
            for one, other in widest
        ]
        for measured in bench.choose_all(groups, wanted.seed + 100 + number, REFINING):
            rows += measured
            found += choices(measured, wanted.launches)
    return sorted(found, key=lambda c: (c.operation, c.processes, c.n_bytes))


def _left_out(tuned: Tuned, groups: Sequence[Group]) -> str:
    asked = len({(group.operation, group.processes, size) for group in groups for size in group.sizes})
    if not tuned.without_time:
        return f"time limit: {fmt.plural(asked, 'point')}, all measured to the end"
    names = Counter(f"{operation} on {processes} ranks" for operation, _, processes in tuned.without_time)
    which = ", ".join(f"{name} ({fmt.plural(times, 'size')})" for name, times in names.items())
    return f"time limit: {len(tuned.without_time)} of {asked} points had no time, and stay with the library: {which}"


def _confirm(bench: Bench, found: list[Choice], tuned: Tuned) -> list[Choice]:
    """The choices that are confirmed in fresh launches, and are not slower in other circumstances."""
    tuned.again = _again(bench, found, "in fresh launches", only_better=True)
    kept, tuned.lost = dropped(found, tuned.again, bench.wanted.launches)
    tuned.written = _again(bench, kept, "buffers written", buffers="written")
    kept, slower = not_slower(kept, "written", tuned.written)
    tuned.lost += slower
    if not machine(bench.launches)["oversubscribed"]:  # there they already wait for one another
        tuned.in_a_row = _again(bench, kept, "back-to-back operations", repeat=ROW, arrivals=())
        kept, slower = not_slower(kept, "in_a_row", tuned.in_a_row)
        tuned.lost += slower
    return kept


def _groups(
    wanted: Wanted, operation: str, sizes: tuple[int, ...], known: Sequence[Algorithm]
) -> list[tuple[tuple[int, ...], list[str]]]:
    """Sizes with the candidates to try there. Messages are cut into segments only if they are large."""
    mine = [a for a in known if a.operation == operation]
    if wanted.algorithms is not None:
        names = list(wanted.algorithms.get(operation, ()))
        return [(sizes, names)] if sizes and names else []
    if not wanted.launcher:  # on this host only: there two levels are one
        mine = [a for a in mine if not a.name.startswith("two_level")]
    whole = [algorithm.name for algorithm in mine]
    cut = [f"{a.name}:segment={segment}" for a in mine if a.takes_segments for segment in SEGMENTS]
    small = tuple(size for size in sizes if size < LARGE)
    large = tuple(size for size in sizes if size >= LARGE)
    return [group for group in ((small, whole), (large, whole + cut)) if group[0] and group[1]]


class Bench:
    """Measures, and keeps the launches, because the machine's noise is computed from all of them."""

    def __init__(self, wanted: Wanted, say: Callable[[str], None], progress: Callable[[str], None]) -> None:
        self.wanted = wanted
        self.say = say
        self.progress = progress
        self.launches: list[Launch] = []
        self.budget = Budget(wanted.limit_s, parts_of(len(wanted.counts)))

    def choose_all(self, groups: Sequence[Group], seed: int, parts: float) -> Iterator[Rows]:
        """The rows of each group. With a time limit all groups of as many ranks are measured in the same launches.

        parts: of the time, for each number of processes.
        """
        if not self.wanted.limit_s:
            for each in groups:
                yield self.choose(each.operation, each.sizes, each.processes, each.names, seed, each.left_out)
            return
        yield from self.at_once(groups, seed, parts, screening=SCREENING, only_better=True)

    def at_once(
        self, groups: Sequence[Group], seed: int, parts: float, *, arrivals: bool = True, **how: Any
    ) -> Iterator[Rows]:
        """arrivals: as in the run, where they are known.   how: as `measure_together` takes it."""
        for processes in self.wanted.counts:
            mine = [group for group in groups if group.processes == processes]
            limit_s = self.budget.take(parts)
            if not mine:
                continue
            for found in measure_together(
                [self._request(group, arrivals) for group in mine],
                ranks=processes,
                library=self.wanted.library,
                launches=self.wanted.launches,
                rounds=self.wanted.rounds,
                launcher=self._launcher(processes),
                seed=seed,
                limit_s=limit_s,
                progress=self.progress,
                **how,
            ):
                yield self._kept(found).rows

    def _request(self, group: Group, arrivals: bool) -> Request:
        wanted = self.wanted
        return Request(
            group.operation,
            group.names,
            group.sizes,
            wanted.seconds * (1 + group.most) / 4,
            wanted.grid_of(group.processes),
            of_sizes(wanted.arrivals, group.operation, group.processes) if arrivals else {},
            group.left_out,
        )

    def _launcher(self, processes: int) -> list[str] | None:
        return shlex.split(self.wanted.launcher.replace("{ranks}", str(processes))) or None

    def choose(
        self,
        operation: str,
        sizes: Sequence[int],
        processes: int,
        names: Sequence[str],
        seed: int,
        left_out: Mapping[int, frozenset[str]] | None = None,
    ) -> Rows:
        """Like `measure`, but candidates that can no longer be chosen are no longer measured.

        left_out: by size, those that never are.
        """
        left_out = left_out or {}
        most = max(len(names) - len(left_out.get(size, ())) for size in sizes)
        screening = SCREENING if most > FEW else 0
        how = {"screening": screening, "only_better": True, "left_out": left_out, "most": most}
        return self.measure(operation, sizes, processes, names, seed, **how)

    def measure(
        self,
        operation: str,
        sizes: Sequence[int],
        processes: int,
        names: Sequence[str],
        seed: int,
        **how: Any,
    ) -> Rows:
        """The rows.   how: as `leadline.bench.measure` takes it."""
        return self.measured(operation, sizes, processes, names, seed, **how).rows

    def guidelines(
        self, operation: str, sizes: Sequence[int], processes: int, names: Sequence[str], *, more_ranks: int
    ) -> Measurement:
        return self.measured(operation, sizes, processes, names, self.wanted.seed + 500, more_ranks=more_ranks)

    def measured(
        self,
        operation: str,
        sizes: Sequence[int],
        processes: int,
        names: Sequence[str],
        seed: int,
        most: int | None = None,
        **how: Any,
    ) -> Measurement:
        """most: names that any size has; None: all."""
        found = measure(
            operation,
            algorithms=list(names),
            sizes=list(sizes),
            ranks=processes,
            library=self.wanted.library,
            launches=self.wanted.launches,
            rounds=self.wanted.rounds,
            seconds=self.wanted.seconds * (1 + (len(names) if most is None else most)) / 4,
            launcher=self._launcher(processes),
            seed=seed,
            keep=True,
            progress=self.progress,
            dims=self.wanted.grid_of(processes),
            **{"arrivals": of_sizes(self.wanted.arrivals, operation, processes), **how},
        )
        return self._kept(found)

    def _kept(self, found: Measurement) -> Measurement:
        found.interruption.end_if_any()  # nothing is confirmed yet: there are no rules to keep
        if found.failed:  # what was not measured in every launch is left to the library
            self.say(found.failed)
        for row in found.wrong:
            what = f"{row['algorithm']} for {row['operation']} of {row['bytes']} bytes on {row['processes']} ranks"
            self.say(f"rejected (wrong result): {what}")
        self.launches += found.launches
        return found


def _again(bench: Bench, found: list[Choice], said: str, **how: Any) -> Rows:
    """Measures every choice against the library's own in fresh launches."""
    rows: Rows = []
    groups: dict[tuple[str, int, str], list[int]] = {}
    for choice in found:
        if not choice.is_native:
            groups.setdefault((choice.operation, choice.processes, choice.algorithm), []).append(choice.n_bytes)
    if bench.wanted.limit_s:
        chosen = [Group(name, n, tuple(sizes), (algorithm,)) for (name, n, algorithm), sizes in groups.items()]
        together = bench.at_once(
            chosen, bench.wanted.seed + 1000, CONFIRMING, arrivals=how.pop("arrivals", None) is None, **how
        )
        return [row for measured in together for row in measured]
    for (operation, processes, name), sizes in groups.items():
        bench.progress(f"repeat ({said}): {name} for {operation} on {processes} ranks")
        rows += bench.measure(operation, sizes, processes, [name], bench.wanted.seed + 1000, **how)
    return rows


def _grids_in_words(wanted: Wanted) -> dict[str, Any]:
    """Where neighbours exchanged data."""
    if not any(operations()[operation].for_neighbours for operation in wanted.operations):
        return {}
    return {"neighbours_in": [in_words(wanted.grid_of(processes)) for processes in wanted.counts]}


def _evidence(wanted: Wanted, bench: Bench, tuned: Tuned) -> dict[str, Any]:
    here = machine(bench.launches)
    version = next((launch.library for launch in bench.launches if launch.library), wanted.library.version)
    return {
        "machine": f"{platform.machine()}, {len(os.sched_getaffinity(0))} cores, {os.uname().nodename}",
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "library": wanted.library.name,
        "version": version,
        "launches": wanted.launches,
        "rounds": wanted.rounds,
        "sizes": sorted({size for op in wanted.operations for n in wanted.counts for size in wanted.sizes_of(op, n)}),
        "processes": list(wanted.counts),
        **_grids_in_words(wanted),
        **({"limit_s": wanted.limit_s, "points_without_time": len(tuned.without_time)} if wanted.limit_s else {}),
        "oversubscribed": here["oversubscribed"],
        "noise": here["noise"] or {},
    }
