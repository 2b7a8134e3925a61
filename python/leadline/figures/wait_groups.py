"""Waits at several call sites and ranks added up, with what causes them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from leadline.figures.paths import chain
from leadline.figures.run import Site
from leadline.figures.waits import WaitEntry, Waits


@dataclass(frozen=True)
class WaitGroup:
    """Waits of one kind at one call site, of all ranks together. causes: (rank, doing, site, share), largest first."""

    kind: str
    site: Site | None
    ranks: int
    worst_rank: str
    worst_s: float
    seconds: float
    error_s: float
    causes: tuple[tuple[str, str, Site | None, float], ...]


LEAST_OF_ONE_RANK = 0.5


@dataclass(frozen=True)
class MainCause:
    """The main cause of a wait. rank: the one that did most of that; None if it is one of `ranks` alike.

    function: that it was in, or computed before.   share: of the wait.
    """

    doing: str
    function: str | None
    rank: str | None
    ranks: int
    share: float


def main_cause(group: WaitGroup) -> MainCause | None:
    """The rank that caused most of the wait, or what most ranks did if that rank is one of many."""
    if not group.causes:
        return None
    together: dict[tuple[str, str | None], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for rank, doing, site, share in group.causes:
        together[doing, site.function if site is not None else None][rank] += share
    (doing, function), by_rank = max(together.items(), key=lambda item: sum(item[1].values()))
    whole = sum(by_rank.values())
    worst = max(by_rank, key=lambda rank: by_rank[rank])
    if by_rank[worst] >= LEAST_OF_ONE_RANK * whole:
        return MainCause(doing, function, worst, len(by_rank), by_rank[worst])
    return MainCause(doing, function, None, len(by_rank), whole)


def groups_by_routine(waits: Waits) -> list[WaitGroup]:
    """By function and routine, whatever the kind and how the program came there; most time first. The kind and site are
    those of the longest wait."""
    return _groups(waits, lambda entry: (entry.site.function, entry.site.routine) if entry.site else None)


def groups_by_path(waits: Waits) -> list[WaitGroup]:
    """By kind, function and the routines that lead to it, as the terminal shows them: a routine may make the same call
    in several places."""
    return _groups(waits, lambda e: (e.kind, e.site.function, chain(e.site.path)) if e.site else (e.kind,))


def _groups(waits: Waits, key_of: Callable[[WaitEntry], Hashable]) -> list[WaitGroup]:
    by_key: dict[Hashable, list[WaitEntry]] = defaultdict(list)
    for entry in waits.entries:
        by_key[key_of(entry)].append(entry)
    groups = []
    for entries in by_key.values():
        # By the sites' identity, which they keep in a run: comparing their paths would take most of the time.
        causes: dict[tuple[str, str, int], float] = defaultdict(float)
        sites: dict[int, Site | None] = {}
        for entry in entries:
            for cause in entry.causes:
                causes[(cause.rank, cause.doing, id(cause.site))] += cause.share * entry.seconds
                sites[id(cause.site)] = cause.site
        seconds = sum(entry.seconds for entry in entries)
        worst = max(entries, key=lambda entry: entry.seconds)
        ranked = sorted(causes.items(), key=lambda item: -item[1])
        groups.append(
            WaitGroup(
                worst.kind,
                worst.site,
                len({entry.rank for entry in entries}),
                worst.rank,
                worst.seconds,
                seconds,
                sum(entry.error_s**2 for entry in entries) ** 0.5,
                tuple((rank, doing, sites[site], s / seconds if seconds else 0.0) for (rank, doing, site), s in ranked),
            )
        )
    return sorted(groups, key=lambda group: -group.seconds)
