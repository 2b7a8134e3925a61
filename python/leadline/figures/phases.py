"""The phases of a run with their names, times, efficiencies and classes."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from dataclasses import dataclass, replace

from leadline import _core
from leadline.figures.core_sharing import waited_share
from leadline.figures.efficiency import Efficiency, of_phase
from leadline.figures.loops import NamedLoop, commanding, lumps_steps, named_loop, rival, unseen_on_some_ranks
from leadline.figures.paths import common_routines
from leadline.figures.run import Run, Site
from leadline.figures.samples import Samples
from leadline.figures.waits import Waits

# A phase is bound by what takes this share of its time; imbalanced if its load balance is less, and this share is lost.
BOUND = 0.4
BALANCED = 0.8
LOST = 0.1
MOSTLY_WAITED = 0.5  # of the ranks' time, in which they could run but had no core
HARDLY = 0.1  # of the computation, for a share of the time
MOST_ROUTINES = 5  # of those in which a phase computes
MOST_NAMES = 2  # of routines that a phase is named by


@dataclass(frozen=True)
class PhaseEntry:
    """Times in seconds, all ranks together. kind: "init", "loop", "output", "final".

    parent: the index of the phase that it is a part of, None for a part of the run.   iterations: of the main loop in
    which it occurs; of a loop within the step, its own; 0 where there is no loop.   every: it occurs in every
    n-th iteration, 0 if it does not or not regularly.   period_s: of one iteration, on the median rank, None if that
    may be several steps.   wait_s: time waiting for other ranks, None if it is unknown.   elapsed_s: of the rank that
    spent longest in it.   computes_in: the routines in which most of its samples were taken, with their seconds and
    their part of the phase's samples; None without samples.   driver: what leads to the main
    loop and may repeat it, unseen.   commanding: the rank that is not in the main loop, and its own loop of fewer
    iterations.   waits_for_cores: the main loop takes its time because ranks share cores: it hardly computes.
    rival: a loop apart from the main one that makes more calls, if that one has less than half of the time.
    """

    name: str
    kind: str
    parent: int | None
    loop: int
    routine: str
    file: str
    line: int
    iterations: int
    at_least: bool
    about: bool
    around: tuple[NamedLoop, ...]
    driver: str
    every: int
    period_s: float | None
    computation_s: float
    mpi_s: float
    wait_s: float | None
    io_s: float
    startup_s: float
    elapsed_s: float
    efficiency: Efficiency | None
    cls: str
    computes_in: tuple[tuple[str, float, float], ...] | None
    chain: tuple[str, ...]
    commanding: tuple[str, NamedLoop] | None = None
    waits_for_cores: bool = False
    rival: NamedLoop | None = None

    @property
    def time_s(self) -> float:
        return self.computation_s + self.mpi_s + self.io_s


def phases_of(run: Run, found: _core.RunPhases, waits: Waits, samples: Samples) -> list[PhaseEntry]:
    waited = _waited(waits) if waits.total_s is not None else None
    entries: list[PhaseEntry] = []
    paths = _Paths(run, found)
    main: int | None = None
    around = 0  # the region around the main loop, which says nothing of its parts
    for phase in found.phases:
        entry = _entry(run, phase, waited, main, samples, paths)
        if phase.region and phase.region != around:
            entry = replace(entry, name=run.profile.regions[phase.region].name)
        if phase.kind == "loop":
            main, around = len(entries), phase.region
        if entry.time_s + entry.startup_s > 0:
            entries.append(entry)
    if main is not None and _waits_for_cores(run, entries, main):
        entries[main] = replace(entries[main], waits_for_cores=True)
    return _told_apart(entries)


def _waits_for_cores(run: Run, entries: list[PhaseEntry], main: int) -> bool:
    if (waited_share(run.processes) or 0.0) < MOSTLY_WAITED:
        return False
    whole = [entry for entry in entries if entry.parent is None]
    computation_s, time_s = sum(entry.computation_s for entry in whole), sum(entry.time_s for entry in whole)
    return entries[main].computation_s * time_s < HARDLY * entries[main].time_s * computation_s


class _Paths:
    """The routines that lead to the main loop's calls."""

    def __init__(self, run: Run, found: _core.RunPhases) -> None:
        self.by_member = {member: site for site in run.sites + run.file_sites for member in site.members}
        main = next((phase for phase in found.phases if phase.kind == "loop"), None)
        self.all_members = set(main.sites) if main is not None else set()

    def name(self, phase: _core.Phase) -> tuple[tuple[str, ...], str]:
        """What all calls of a part of the main loop have in common, outermost first, and the part's name.

        It is named by the first routines on the way to its calls that lead to no other call of the loop. Where a
        routine that makes other calls, too, makes the call itself, the name is the function's.
        """
        sites = [self.by_member[member] for member in phase.sites if member in self.by_member]
        others = [self.by_member[member] for member in self.all_members - set(phase.sites) if member in self.by_member]
        known = {_names(other, depth) for other in others for depth in range(1, len(other.path) + 1)}
        names: list[str] = []
        for site in sites:
            own = (frame for depth, frame in enumerate(site.path) if _names(site, depth + 1) not in known)
            first = next(own, None)
            name = first.routine if first is not None else f"{site.function} of {site.routine}"
            if name not in names:
                names.append(name)
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        return tuple(common_routines(sites)), ", ".join(names[:MOST_NAMES]) + more


def _names(site: Site, depth: int) -> tuple[str, ...]:
    return tuple(frame.full for frame in site.path[:depth])


def _told_apart(entries: list[PhaseEntry]) -> list[PhaseEntry]:
    """Parts with the name of another phase get a line, or callers, until their names differ."""
    counts = Counter(entry.name for entry in entries)
    named = []
    for entry in entries:
        if counts[entry.name] > 1 and entry.parent is not None:
            others = [other for other in entries if other is not entry and other.name == entry.name]
            entry = replace(entry, name=_longer_name(entry, others))
        named.append(entry)
    return named


def _longer_name(entry: PhaseEntry, others: list[PhaseEntry]) -> str:
    if entry.line:
        return f"{entry.name}:{entry.line}"
    callers = _callers(entry)
    for length in range(1, len(callers) + 1):
        if all(_callers(other)[-length:] != callers[-length:] for other in others):
            return " > ".join((*callers[-length:], entry.name))
    return entry.name


def _callers(entry: PhaseEntry) -> tuple[str, ...]:
    """The routines around those that a part is named by."""
    if entry.name not in entry.chain:
        return entry.chain
    return entry.chain[: len(entry.chain) - 1 - entry.chain[::-1].index(entry.name)]


def _waited(waits: Waits) -> dict[int, float]:
    """Seconds by call site of the profile."""
    sums: dict[int, float] = defaultdict(float)
    for entry in waits.entries:
        sums[entry.member] += entry.seconds
    return sums


def _entry(
    run: Run, phase: _core.Phase, waited: dict[int, float] | None, main: int | None, samples: Samples, paths: _Paths
) -> PhaseEntry:
    times = phase.times
    computation = sum(t.computation for t in times) * 1e-9
    mpi = sum(t.mpi for t in times) * 1e-9
    io = sum(t.io for t in times) * 1e-9
    wait = None
    if waited is not None:
        wait = sum(waited.get(site, 0.0) * share for site, share in zip(phase.sites, phase.share, strict=True))
        wait = min(wait, mpi)
    loop = named_loop(run, phase.loop) if phase.kind in ("loop", "inner") else None
    chain, name = paths.name(phase) if phase.kind == "recurring" else ((), "")
    routine = loop.routine if loop is not None else chain[-1] if chain else ""
    kind = {"recurring": "output" if phase.writes else "loop", "inner": "loop"}.get(phase.kind, phase.kind)
    n = phase.inner_iterations if phase.kind == "inner" else phase.iterations
    lumped = phase.kind in ("loop", "recurring") and run.profile.loops.main and lumps_steps(run, run.profile.loops.main)
    each = sorted((t.computation + t.mpi + t.io) * 1e-9 for t in times)
    efficiency = of_phase(times)
    return PhaseEntry(
        name={"init": "initialisation", "final": "finalisation"}.get(phase.kind, name or routine or "loop"),
        kind=kind,
        parent=main if phase.kind in ("recurring", "inner") else None,
        loop=phase.loop,
        routine=routine,
        file=loop.file if loop is not None else "",
        line=loop.line if loop is not None else 0,
        iterations=n,
        at_least=loop.at_least if loop is not None else phase.kind == "recurring" and unseen_on_some_ranks(run),
        about=loop is not None and loop.about,
        around=tuple(named_loop(run, number) for number in loop.around) if loop and phase.kind == "loop" else (),
        driver=loop.driver if loop is not None and phase.kind == "loop" else "",
        every=0 if lumped else phase.every,
        period_s=statistics.median(each) / n
        if n and each and not (lumped or (loop is not None and loop.lumps))
        else None,
        computation_s=computation,
        mpi_s=mpi,
        wait_s=wait,
        io_s=io,
        startup_s=sum(t.startup for t in times) * 1e-9,
        elapsed_s=max(each, default=0.0),
        efficiency=efficiency,
        cls=_class(computation, mpi, io, efficiency),
        computes_in=_computes_in(phase, samples) if samples.routines else None,
        chain=chain,
        commanding=commanding(run, phase.loop) if loop is not None and phase.kind == "loop" else None,
        rival=rival(run, phase.loop) if loop is not None and phase.kind == "loop" else None,
    )


def _computes_in(phase: _core.Phase, samples: Samples) -> tuple[tuple[str, float, float], ...]:
    found = samples.before_calls(dict(zip(phase.sites, phase.share, strict=True)))
    all_s = sum(time_s for _, time_s in found)
    return tuple((routine, time_s, time_s / all_s) for routine, time_s in found[:MOST_ROUTINES])


def _class(computation: float, mpi: float, io: float, efficiency: Efficiency | None) -> str:
    """What limits the phase."""
    whole = computation + mpi + io
    if whole <= 0:
        return "empty"
    if io >= BOUND * whole:
        return "io"
    if efficiency is not None and efficiency.load_balance < BALANCED:
        lost = computation * (1 / efficiency.load_balance - 1)
        if min(lost, mpi) >= LOST * whole:
            return "imbalanced"
    return "communication" if mpi >= BOUND * whole else "computation"
