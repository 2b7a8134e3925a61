"""Finds a table: measures, chooses, refines where the choice changes, and measures the chosen algorithms once more."""

from __future__ import annotations

import os
import platform
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from leadline import mpi
from leadline.bench import measure
from leadline.bench.asking import Algorithm, is_measurable, portfolio
from leadline.bench.bounds import Model
from leadline.bench.launching import Launch
from leadline.bench.rows import Measurement, machine
from leadline.operations import operations
from leadline.text import format as fmt
from leadline.tuning import guidelines
from leadline.tuning.arriving import Arrivals, of_sizes
from leadline.tuning.calls import Calls
from leadline.tuning.choosing import Choice, choices, choose, dropped, not_slower, refine, rules
from leadline.tuning.modelled import Modelled
from leadline.tuning.table import Table

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
    guidelines: tune only where the library breaks one.   arrivals: patterns of calls whose ranks come apart.
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
    arrivals: Arrivals = field(default_factory=dict)
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
    modelled: Modelled = field(default_factory=Modelled)


def tune(wanted: Wanted, say: Callable[[str], None], progress: Callable[[str], None] | None = None) -> Tuned:
    """Find the table.

    say: is given what the user should keep, such as what was dropped.   progress: a line for each launch.
    Raises UsageError, MissingPrerequisite, MeasurementFailed.
    """
    known = portfolio()
    bench = Bench(wanted, say, progress or (lambda _: None))
    rows: Rows = []
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
            for sizes, names in _groups(wanted, operation, to_tune, known):
                left_out = modelled.left_out(operation, sizes, processes, names)
                measured = bench.choose(operation, sizes, processes, names, wanted.seed, left_out=left_out)
                rows += measured
                found += choices(measured, wanted.launches)
    if not wanted.calls:

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
    for choice in tuned.lost:
        say(
            f"dropped: {choice.algorithm} for {choice.operation} of {choice.n_bytes} bytes on {choice.processes} ranks "
            f"({choice.ratio:.2f}× at first, not confirmed in fresh launches)"
        )
    for violation in guidelines.with_repairs(broken, tuned.kept):
        say(guidelines.said(violation))
    here = machine(bench.launches)
    noise = here["noise"] or {}
    if not here["oversubscribed"] and noise.get("lost_share_median", 0) > BUSY:
        say(
            f"The machine was busy: other processes took {fmt.percent(noise['lost_share_median'])} of the time. "
            "On an idle machine, more algorithms may win."
        )
    tuned.table = Table(rules(tuned.kept), _evidence(wanted, bench))
    return tuned


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
            launcher=shlex.split(self.wanted.launcher.replace("{ranks}", str(processes))) or None,
            seed=seed,
            keep=True,
            progress=self.progress,
            **{"arrivals": of_sizes(self.wanted.arrivals, operation, processes), **how},
        )
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
    for (operation, processes, name), sizes in groups.items():
        bench.progress(f"repeat ({said}): {name} for {operation} on {processes} ranks")
        rows += bench.measure(operation, sizes, processes, [name], bench.wanted.seed + 1000, **how)
    return rows


def _evidence(wanted: Wanted, bench: Bench) -> dict[str, Any]:
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
        "oversubscribed": here["oversubscribed"],
        "noise": here["noise"] or {},
    }
