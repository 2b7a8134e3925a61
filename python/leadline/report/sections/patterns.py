"""Patterns of communication and I/O: what messages and transfers do together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leadline.figures.content import Content
from leadline.figures.json_entries import place_json, rank_id
from leadline.figures.patterns import CONSECUTIVE, PROCESSES, PatternEntry
from leadline.report.section import Section
from leadline.text import format as fmt
from leadline.text.screen import Line, Screen
from leadline.wording.patterns import pattern_at

MOST_SHOWN = 12
LEAST_SHARE_SHOWN = 0.001

TITLES = {
    "nearest_neighbour": "nearest-neighbour exchange",
    "packable_messages": "messages that could be combined",
    "consecutive_exchanges": "exchanges in a row that could be one",
    "consecutive_reductions": "reductions in a row that could be one",
    "consecutive_broadcasts": "broadcasts in a row that could be one",
    "separate_reductions": "short reductions apart, as in a solver",
    "all_to_one": "all-to-one",
    "one_to_all": "one-to-all",
    "handmade_broadcast": "hand-written broadcast",
    "handmade_reduction": "hand-written reduction",
    "handmade_alltoall": "hand-written all-to-all",
    "all_with_all": "all ranks exchange with all others",
    "changing_pairs": "exchange in changing pairs",
    "transpose": "hand-written transpose",
    "ring": "ring",
    "pipeline": "pipeline",
    "master_worker": "manager–worker",
    "irregular": "irregular exchange",
    "serialised_order": "serialising order of sends",
    "wildcard_receive": "MPI_ANY_SOURCE receives",
    "unexpected_large": "large sends posted before their receives",
    "redundant_barrier": "redundant barriers",
    "allreduce_bound": "allreduce-bound loop",
    "no_overlap": "nonblocking calls without overlap",
    "polling": "polling",
    "sparse_alltoall": "all-to-all with few partners",
    "idle_in_collective": "ranks without data in a collective",
    "repeated_creation": "objects re-created every iteration",
    "read_all_by_all": "every rank reads the whole file",
    "write_by_one": "serial output (one rank writes)",
    "read_by_one": "serial input (one rank reads)",
    "small_io": "small transfers",
    "file_per_rank": "one file per rank",
    "reopened_files": "files opened again and again",
}

# The same made of one-sided operations: puts, gets, accumulates, or several of them ("operations").
ONE_SIDED = {
    "nearest_neighbour": "nearest-neighbour exchange by {}",
    "packable_messages": "{} that could be combined",
    "all_to_one": "all-to-one puts",
    "one_to_all": "one-to-all puts",
    "handmade_broadcast": "hand-written broadcast by {}",
    "handmade_reduction": "hand-written reduction by {}",
    "handmade_alltoall": "hand-written all-to-all by {}",
    "transpose": "hand-written transpose by {}",
    "ring": "ring of {}",
    "pipeline": "pipeline of {}",
    "irregular": "irregular exchange by {}",
}
ROOTED = {
    ("all_to_one", "gets"): "one rank gets from all",
    ("one_to_all", "gets"): "all get from one rank",
    ("all_to_one", "accumulates"): "all accumulate to one",
    ("one_to_all", "accumulates"): "one accumulates to all",
}


def title_of(entry: PatternEntry) -> str:
    how = entry.evidence.get("one_sided")
    if how is None or entry.name not in ONE_SIDED:
        return TITLES[entry.name]
    return ROOTED.get((entry.name, how), ONE_SIDED[entry.name].format(how))


def figures(content: Content) -> dict[str, Any]:
    return {"patterns": [_pattern(entry) for entry in content.patterns]}


def _pattern(entry: PatternEntry) -> dict[str, Any]:
    evidence = {name: rank_id(value) if name in PROCESSES else value for name, value in entry.evidence.items()}
    return {
        "pattern": entry.name,
        "title": title_of(entry),
        "sites": [place_json(site) for site in entry.sites],
        "routines": list(entry.routines),
        "files": list(entry.files),
        "ranks": entry.ranks,
        "messages": entry.messages,
        "bytes": entry.n_bytes,
        "messages_per_step": entry.messages_per_step,
        "bytes_per_step": entry.bytes_per_step,
        "time_s": entry.time_s,
        "share": entry.share,
        "evidence": evidence,
    }


def draw(content: Content, out: Screen) -> None:
    entries = content.patterns
    shown = entries if out.complete else [e for e in entries if e.share >= LEAST_SHARE_SHOWN][:MOST_SHOWN]
    if not shown:
        return
    out.section(SECTION.title, "messages and bytes per iteration; all summed over ranks")
    out.lines(_lines(shown, out.width))
    if len(shown) < len(entries):
        out.lines([(f"and {len(entries) - len(shown)} more: --json", "dim")])


def _lines(entries: Sequence[PatternEntry], width: int) -> list[Line]:
    lines: list[Line] = [("   Time   Messages     Bytes  Pattern", "dim")]
    for entry in entries:
        per_step = entry.messages_per_step
        messages = fmt.short_count(round(per_step)) if per_step is not None and per_step >= 1 else "-"
        n_bytes = fmt.size(round(entry.bytes_per_step)) if per_step and entry.bytes_per_step else "-"
        text = f"{100 * entry.share:5.1f} %  {messages:>9}  {n_bytes:>8}  {title_of(entry)}{_detail(entry)}"
        lines.append(text)
        lines.append((f"{'':31}{pattern_at(entry)}", "dim"))
    return lines


def _detail(entry: PatternEntry) -> str:
    """What distinguishes it, in a few words."""
    found = entry.evidence
    if entry.name == "nearest_neighbour":
        dims = found["dims"]
        shape = f"{dims[0]} ranks in a row" if len(dims) == 1 else f"{' × '.join(map(str, dims))} grid"
        periodic = ", periodic" if any(flag == 1 for flag in found["periodic"]) else ""
        widths = " and ".join(str(width) for width in found.get("halo_width", ()))
        halo = f", halo {widths} wide" if widths else ""
        one_way = ", one way" if found["one_way"] else ""
        return f", {shape}{periodic}{', with corners' if found['corners'] else ''}{one_way}{halo}"
    if entry.name == "all_with_all":
        return f" (neighbours or an all-to-all: record {found['ranks_to_tell']} ranks or more to tell)"
    if entry.name in ("packable_messages", *CONSECUTIVE):
        return f": {entry.bound}{found['together']}"
    if entry.name == "sparse_alltoall":
        return f": {fmt.number(found['partners'])} of {found['of_ranks'] - 1} other ranks"
    if entry.name == "idle_in_collective":
        return f": {found['idle']} of {found['of_ranks']}"
    if entry.name == "reopened_files":
        return f": {fmt.number(found['opens_each'])} times by each rank"
    if entry.name == "separate_reductions":
        return f": {found['reductions']} in each iteration"
    if entry.name == "repeated_creation":
        return f": {found['what']}, {fmt.number(found['made_per_step'])} per rank and iteration"
    if entry.name == "small_io":
        return f": {fmt.size(found['bytes_each'])} on average"
    if entry.name in {"all_to_one", "one_to_all"}:
        return f": rank {found['root']}{', serialised' if 'chain' in found else ''}"
    if entry.name == "allreduce_bound":
        return f", {fmt.percent(found['share_of_loop'])} of the loop's time"
    return ""


SECTION = Section(
    id="patterns",
    title="Patterns",
    order=37,
    figures=figures,
    draw=draw,
    present=lambda report: bool(report.get("patterns")),
)
