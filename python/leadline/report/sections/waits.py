"""Wait states: which calls waited for other ranks, why, and what lies on the critical path of a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leadline.figures.content import Content
from leadline.figures.json_entries import place_json, rank_id
from leadline.figures.paths import chain
from leadline.figures.run import Site
from leadline.figures.wait_groups import WaitGroup, groups_by_path, main_cause
from leadline.figures.waits import WaitEntry
from leadline.report.section import Section
from leadline.text import format as fmt
from leadline.text.screen import Line, Screen
from leadline.wording.waits import why_unknown

MOST_IN_JSON = 500  # the table of waits has all
MOST_CAUSES = 3
MOST_SHOWN = 8
LEAST_SHARE_SHOWN = 0.001
MOST_OF_PATH = 50

TITLES = {
    "late_sender": "late sender",
    "late_receiver": "late receiver",
    "wait_at_barrier": "wait at barrier",
    "wait_at_n_to_n": "wait at n-to-n collective",
    "early_reduce": "early reduce",
    "late_broadcast": "late broadcast",
    "wait_at_fence": "wait at fence",
    "late_post": "late post",
    "late_complete": "late complete",
}
DOING = {
    "computation": "computes before",
    "io": "is in the file call",
    "mpi": "is in",
    "unknown": "is late for an unknown reason before",
}
DOING_TOGETHER = {
    "computation": "compute before",
    "io": "are in the file call",
    "mpi": "are in",
    "unknown": "are late for an unknown reason before",
}


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
            "changing_s": imbalance.changing_ns * 1e-9,
            "noise_s": imbalance.noise_ns * 1e-9,
            "rare_s": imbalance.rare_ns * 1e-9,
            "rare_steps": imbalance.rare_steps,
            "rare_period": imbalance.rare_period or None,
            "between_hosts": imbalance.between_hosts,
            "slowest": [
                {"rank": rank_id(content.run.label(process)), "times_mean": ratio}
                for process, ratio in imbalance.slowest
            ],
        }
        if imbalance.found and not waits.ends_apart
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
    groups = [group for group in groups_by_path(waits) if whole > 0 and group.seconds >= LEAST_SHARE_SHOWN * whole]
    if groups:
        remark = f"estimated from {fmt.plural(waits.iterations, 'iteration')}" if waits.estimated else ""
        out.section(SECTION.title, f"share of the time summed over ranks{'; ' if remark else ''}{remark}")
        out.lines(_lines(groups if out.complete else groups[:MOST_SHOWN], whole, out.width))
        if waits.too_much_unseen:
            share = fmt.percent(content.share(waits.unseen_s))
            out.paragraph(f"Waits in {share} of the time are unknown: it is in MPI calls that none of these makes.")


def _nothing(content: Content) -> str:
    why = why_unknown(content)
    return (
        f"unknown, because {why}"
        if why is not None
        else f"none of {fmt.percent(LEAST_SHARE_SHOWN)} of the time or more"
    )


def _lines(groups: Sequence[WaitGroup], whole: float, width: int) -> list[Line]:
    lines: list[Line] = [("   Time  Ranks  Wait", "dim")]
    for group in groups:
        where = f"{group.site.function} in {chain(group.site.path)}" if group.site else "?"
        text = f"{100 * group.seconds / whole:5.1f} %  {group.ranks:>5}  {TITLES[group.kind]}: {where}"
        lines.append(text)
        lines += [(f"{'':16}{text}", "dim") for text in [_cause(group)] if text]
    return lines


def _cause(group: WaitGroup) -> str:
    cause = main_cause(group)
    if cause is None:
        return ""
    where = f" {cause.function}" if cause.function is not None else ""
    if cause.rank is not None:
        return f"rank {cause.rank} {DOING[cause.doing]}{where}: {fmt.percent(cause.share)}"
    return f"{cause.ranks} ranks {DOING_TOGETHER[cause.doing]}{where}: {fmt.percent(cause.share)}"


SECTION = Section(
    id="waits",
    title="Waits",
    order=36,
    figures=figures,
    draw=draw,
    nothing=_nothing,
    present=lambda report: bool(report.get("waits")),
)
