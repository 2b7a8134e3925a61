"""Wait states: which calls waited for other ranks, why, and what lies on the critical path of a step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from leadline.report import format as fmt
from leadline.report.content import Content
from leadline.report.json_entries import place_json, rank_id
from leadline.report.paths import chain
from leadline.report.screen import Line, Screen
from leadline.report.section import Section
from leadline.report.waits import WaitEntry, Waits
from leadline.run import Site

MOST_IN_JSON = 500  # the table of waits has all
MOST_CAUSES = 3
MOST_SHOWN = 8
LEAST_SHARE_SHOWN = 0.001
MOST_OF_PATH = 50

TITLES = {
    "late_sender": "late sender",
    "late_receiver": "late receiver",
    "wait_at_barrier": "wait at barrier",
    "wait_at_n_to_n": "wait at n-to-n",
    "early_reduce": "early reduce",
    "late_broadcast": "late broadcast",
}
DOING = {"computation": "computes before", "io": "is in file I/O", "mpi": "is in", "unknown": "is not known before"}


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


def groups_of(waits: Waits) -> list[WaitGroup]:
    """By kind and call site, most time first."""
    return _groups(waits, lambda entry: (entry.kind, entry.site))


def groups_by_routine(waits: Waits) -> list[WaitGroup]:
    """By function and routine, whatever the kind and how the program came there; most time first. The kind and site are
    those of the longest wait."""
    return _groups(waits, lambda entry: (entry.site.function, entry.site.routine) if entry.site else None)


def _groups(waits: Waits, key_of: Callable[[WaitEntry], Hashable]) -> list[WaitGroup]:
    by_key: dict[Hashable, list[WaitEntry]] = defaultdict(list)
    for entry in waits.entries:
        by_key[key_of(entry)].append(entry)
    groups = []
    for entries in by_key.values():
        causes: dict[tuple[str, str, Site | None], float] = defaultdict(float)
        for entry in entries:
            for cause in entry.causes:
                causes[(cause.rank, cause.doing, cause.site)] += cause.share * entry.seconds
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
                tuple((*cause, s / seconds if seconds else 0.0) for cause, s in ranked),
            )
        )
    return sorted(groups, key=lambda group: -group.seconds)


def figures(content: Content) -> dict[str, Any]:
    waits = content.waits
    imbalance = waits.imbalance
    return {
        "waits": [_wait(entry) for entry in waits.entries[:MOST_IN_JSON]],
        "waits_left_out": max(0, len(waits.entries) - MOST_IN_JSON),
        "waits_s": sum(entry.seconds for entry in waits.entries) if waits.found else None,
        "waits_estimated_from": waits.iterations if waits.estimated and waits.found else None,
        "critical_path": {
            "steps": waits.path_steps,
            "parts": [
                {"rank": rank_id(part.rank), "doing": part.doing, "site": _site(part.site), "share": part.share}
                for part in waits.path[:MOST_OF_PATH]
            ],
        }
        if waits.path
        else None,
        "imbalance": {
            "computation_s": imbalance.computation_ns * 1e-9,
            "lost_s": imbalance.lost_ns * 1e-9,
            "fixed_s": imbalance.fixed_ns * 1e-9,
            "wandering_s": imbalance.wandering_ns * 1e-9,
            "noise_s": imbalance.noise_ns * 1e-9,
            "between_hosts": imbalance.between_hosts,
            "slowest": [
                {"rank": rank_id(content.run.label(process)), "times_mean": ratio}
                for process, ratio in imbalance.slowest
            ],
        }
        if imbalance.found
        else None,
    }


def _wait(entry: WaitEntry) -> dict[str, Any]:
    return {
        "kind": entry.kind,
        "site": _site(entry.site),
        "rank": rank_id(entry.rank),
        "seconds": entry.seconds,
        "interval_s": [max(0.0, entry.seconds - entry.error_s), entry.seconds + entry.error_s]
        if entry.error_s
        else None,
        "cause": [
            {"rank": rank_id(cause.rank), "doing": cause.doing, "site": _site(cause.site), "share": cause.share}
            for cause in entry.causes[:MOST_CAUSES]
        ],
    }


def _site(site: Site | None) -> dict[str, Any] | None:
    return place_json(site) if site is not None else None


def draw(content: Content, out: Screen) -> None:
    waits = content.waits
    whole = content.base_s
    groups = [group for group in groups_of(waits) if whole > 0 and group.seconds >= LEAST_SHARE_SHOWN * whole]
    if groups:
        remark = f"estimated from {fmt.plural(waits.iterations, 'iteration')}" if waits.estimated else ""
        out.section(SECTION.title, f"time of all ranks{'; ' if remark else ''}{remark}")
        out.lines(_lines(groups if out.complete else groups[:MOST_SHOWN], whole, out.width))


def _lines(groups: Sequence[WaitGroup], whole: float, width: int) -> list[Line]:
    lines: list[Line] = [("   Time  Ranks  Wait", "dim")]
    for group in groups:
        where = f"{group.site.function} in {chain(group.site.path)}" if group.site else "?"
        text = f"{100 * group.seconds / whole:5.1f} %  {group.ranks:>5}  {TITLES[group.kind]}: {where}"
        lines.append(text)
        lines += [(f"{'':16}{text}", "dim") for text in [_cause(group)] if text]
    return lines


def _cause(group: WaitGroup) -> str:
    if not group.causes:
        return ""
    rank, doing, site, share = group.causes[0]
    where = f" {site.function}" if site is not None else ""
    return f"rank {rank} {DOING[doing]}{where}: {fmt.percent(share)} of it"


SECTION = Section(
    id="waits",
    title="Waits",
    order=36,
    figures=figures,
    draw=draw,
    present=lambda report: bool(report.get("waits")),
)
