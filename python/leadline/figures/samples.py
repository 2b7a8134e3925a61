"""Where the program computes, by routine, as samples show it (--sample)."""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from leadline.figures.run import Run, Site
from leadline.symbols import Location
from leadline.symbols.resolve import INTERPRETERS, SYSTEM

RECORDER = "libleadline.so"
BEFORE_CALL = 1  # Places takes addresses that calls return to, which come after the call


@dataclass(frozen=True)
class SampledRoutine:
    """A routine that does not make MPI calls itself, or the parts of one between them.

    routine, full: its short and full names.   file, line: where in it most samples were taken; "" and 0 if unknown.
    time_s: samples divided by their rate, of all ranks.   share: of the ranks' time.   ranks: in which it was found.
    most_s, mean_s: of the rank that computed longest in it, and of all ranks.   in_main_loop: part of the samples.
    before: the MPI call that followed most often; None if none is known.   before_share: of the routine's samples.
    by_site: samples by the profile's site of the call that followed.
    """

    routine: str
    full: str
    file: str
    line: int
    samples: int
    time_s: float
    share: float
    ranks: int
    most_s: float
    mean_s: float
    in_main_loop: float
    before: Site | None
    before_share: float
    by_site: Mapping[int, int]


@dataclass(frozen=True)
class Samples:
    """rate: samples per second of a thread's own time in user mode; 0: nobody asked for any.   taken: all samples.
    in_mpi: those within MPI calls, which no routine has.   time_s: what the others stand for.
    computation_s: as the calls' times give it.   refused: threads that the system let nobody sample; reason: in its
    words.   lost: samples that the system could not deliver.   no_room: those whose addresses the recorder had no room
    for.
    """

    rate: int = 0
    taken: int = 0
    in_mpi: int = 0
    time_s: float = 0.0
    computation_s: float = 0.0
    refused: int = 0
    reason: str = ""
    lost: int = 0
    no_room: int = 0
    routines: tuple[SampledRoutine, ...] = ()

    def before_calls(self, share: Mapping[int, float]) -> list[tuple[str, float]]:
        """Routines and their seconds before calls, most first.   share: of the calls of each of the profile's sites."""
        found = []
        for one in self.routines:
            samples = sum(n * share.get(site, 0.0) for site, n in one.by_site.items())
            if samples > 0:
                found.append((one.routine, samples / self.rate))
        return sorted(found, key=lambda pair: -pair[1])


@dataclass
class _Sums:
    where: Location
    by_rank: Counter[int]
    lines: Counter[tuple[str, int]]
    by_site: Counter[int]
    in_main_loop: int = 0


def samples_of(run: Run, computation_s: float, base_s: float) -> Samples:
    """computation_s, base_s: of all ranks, as in Content."""
    settings = [process.sampling for process in run.processes]
    rate = max((s.rate for s in settings), default=0)
    if not rate:
        return Samples()
    routines = _routines(run, rate, base_s)
    first = next((s.error for s in settings if s.refused), 0)
    return Samples(
        rate=rate,
        taken=sum(s.taken for s in settings),
        in_mpi=sum(s.in_mpi for s in settings),
        time_s=sum(s.taken - s.in_mpi for s in settings) / rate,
        computation_s=computation_s,
        refused=sum(s.refused for s in settings),
        reason=os.strerror(first) if first else "",
        lost=sum(s.lost for s in settings),
        no_room=sum(s.no_room for s in settings),
        routines=tuple(routines),
    )


def forbidden(samples: Samples) -> bool:
    """Whether the system refuses because of who asks, and not because it cannot."""
    return samples.reason in (os.strerror(errno.EACCES), os.strerror(errno.EPERM))


def _routines(run: Run, rate: int, base_s: float) -> Iterator[SampledRoutine]:
    ranks = len(run.processes)
    site_of = {member: number for number, site in enumerate(run.sites) for member in site.members}
    for one in sorted(_sums(run), key=lambda one: (-one.by_rank.total(), one.where.full)):
        n = one.by_rank.total()
        by_call: Counter[int] = Counter()
        for site, times in one.by_site.items():
            if site in site_of:
                by_call[site_of[site]] += times
        (file, line), _ = one.lines.most_common(1)[0]
        before, times = max(by_call.items(), key=lambda item: (item[1], -item[0]), default=(-1, 0))
        yield SampledRoutine(
            routine=one.where.routine,
            full=one.where.full,
            file=file,
            line=line,
            samples=n,
            time_s=n / rate,
            share=n / rate / base_s if base_s > 0 else 0.0,
            ranks=len(one.by_rank),
            most_s=max(one.by_rank.values()) / rate,
            mean_s=n / rate / ranks,
            in_main_loop=one.in_main_loop / n,
            before=run.sites[before] if times else None,
            before_share=times / n,
            by_site=one.by_site,
        )


def _sums(run: Run) -> Iterable[_Sums]:
    found: dict[tuple[str, str], _Sums] = {}
    known: dict[tuple[int, int], Location] = {}
    for rank in range(len(run.processes)):
        for site, module, offset, in_main_loop, count in run.profile.samples(rank):
            where = known.get((module, offset))
            if where is None:
                where = known[module, offset] = _place(run, module, offset)
            one = found.setdefault((where.full, where.module), _Sums(where, Counter(), Counter(), Counter()))
            one.by_rank[rank] += count
            one.lines[where.file, where.line] += count
            one.in_main_loop += count if in_main_loop else 0
            one.by_site[site] += count
    run.places.save()
    return found.values()


def _place(run: Run, module: int, offset: int) -> Location:
    """The routine that the machine was in: what the compiler put into it is its own."""
    if module < 0:
        return Location("(generated code)", "(generated code)", "", resolved=False)
    where = run.places(module, offset + BEFORE_CALL)[-1]
    path = run.profile.modules[module].path
    own = os.path.basename(path) == RECORDER
    if own or where.full == SYSTEM or where.full in INTERPRETERS or not where.resolved:
        name = "(Leadline)" if own else f"({os.path.basename(path)})"
        return Location(name, name, path, resolved=False)
    return where
