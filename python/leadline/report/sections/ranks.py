"""Each rank's time by kind."""

from __future__ import annotations

from typing import Any

from leadline import _core
from leadline.figures.content import Content
from leadline.figures.json_entries import rank_id
from leadline.figures.rank_times import RankEntry
from leadline.figures.time_parts import LEAST_OWN_SHOWN
from leadline.report.section import Section
from leadline.text import format as fmt
from leadline.text.screen import Line, Screen
from leadline.text.wrapping import wrapped

MOST_BARS = 16


def figures(content: Content) -> dict[str, Any]:
    return {"ranks_detail": [_rank(rank) for rank in content.ranks]}


def _rank(rank: RankEntry) -> dict[str, Any]:
    return {
        "rank": rank_id(rank.rank),
        "host": rank.host,
        "pid": rank.pid,
        "threads": rank.threads,
        "duration_s": rank.duration_s,
        "time_s": rank.time_s,
        "computation_s": rank.computation_s,
        "mpi_s": rank.mpi_s,
        "io_s": rank.io_s,
        "own_between_s": rank.own_between_s,
        "by_kind_s": rank.category_s,
        "calls": rank.calls,
        "messages": rank.messages,
        "bytes": rank.bytes_sent,
        "bytes_received": rank.bytes_received,
        "collective_bytes": rank.contributed,
        "collective_bytes_received": rank.collected,
        "one_sided_operations": rank.operations,
        "bytes_put": rank.bytes_put,
        "bytes_got": rank.bytes_got,
        "own_s": rank.own_s,
        "trace_bytes": rank.trace_bytes,
        "finalized": rank.finalized,
        "complete": rank.complete,
    }


def draw(content: Content, out: Screen) -> None:
    if not content.ended_at_start.all_ranks:
        out.section(SECTION.title)
        out.lines(_bars(content, out.width))


def _bars(content: Content, width: int) -> list[Line]:
    """A bar for each rank: computation, files, overhead, MPI. Of many ranks, those with least, median and most MPI."""
    ranks = content.ranks
    shown = ranks if len(ranks) <= MOST_BARS else _extremes(ranks)
    label = max(len(rank.rank) for rank in shown)
    longest = max(rank.time_s for rank in shown) or 1.0
    room = max(10, width - label - 34)
    has_io = any(rank.io_s >= 0.001 * rank.time_s > 0 for rank in ranks)
    has_own = any(rank.own_between_s >= LEAST_OWN_SHOWN * rank.time_s > 0 for rank in ranks)
    kinds = f"# computation{'  o file I/O' if has_io else ''}{'  + overhead' if has_own else ''}"
    legend = f"{kinds}  = MPI  - MPI_Init and MPI_Finalize"
    heading = f"{'rank':>{max(label, 4)}}  {'computation':>11} {'MPI':>9}"
    one = f"{heading}        {legend}"
    lines: list[Line] = [(line, "dim") for line in ([one] if len(one) <= width else [legend, heading])]
    for rank in shown:
        whole = round(rank.time_s / longest * room)
        computing = round(whole * rank.computation_s / rank.time_s) if rank.time_s > 0 else 0
        share = fmt.percent(rank.mpi_share) if rank.time_s > 0 else ""
        times = f"{fmt.seconds(rank.computation_s):>11} {fmt.seconds(rank.mpi_s):>9} {share:>6}"
        starting = round(whole * rank.category_s["startup"] / rank.time_s) if rank.time_s > 0 else 0
        moving = min(round(whole * rank.io_s / rank.time_s), whole - computing) if rank.time_s > 0 else 0
        own = min(round(whole * rank.own_between_s / rank.time_s), whole - computing - moving) if has_own else 0
        starting = min(starting, whole - computing - moving - own)
        rest = whole - computing - moving - own - starting
        bar = "#" * computing + "o" * moving + "+" * own + "=" * rest + "-" * starting
        lines.append(f"{rank.rank:>{max(label, 4)}}  {times} {bar}".rstrip())
    if len(shown) < len(ranks):
        lines.append(f"({len(shown)} of {len(ranks)} ranks, evenly spaced from least to most MPI share)")
    lines.extend(wrapped(_kinds(ranks), max(width, 40), rest=" " * 10))
    return lines


def _extremes(ranks: list[RankEntry]) -> list[RankEntry]:
    """MOST_BARS ranks, evenly from the least to the most share of MPI."""
    ordered = sorted(ranks, key=lambda rank: rank.mpi_share)
    return [ordered[round(i * (len(ordered) - 1) / (MOST_BARS - 1))] for i in range(MOST_BARS)]


def _kinds(ranks: list[RankEntry]) -> str:
    """For example "MPI time: waiting 61 %, collectives 30 %"."""
    total = sum(rank.mpi_s for rank in ranks)
    if total <= 0:
        return "MPI time: none"
    sums = {key: sum(rank.category_s[key] for rank in ranks) for key in _core.CATEGORIES}
    parts = [
        f"{_core.CATEGORY_NAMES[key].title} {fmt.percent(seconds / total)}"
        for key, seconds in sorted(sums.items(), key=lambda kind: -kind[1])
        if seconds >= 0.001 * total
    ]
    return "MPI time: " + ", ".join(parts)


SECTION = Section(
    id="ranks",
    title="Time by rank",
    order=20,
    figures=figures,
    draw=draw,
    present=lambda report: bool(report["ranks_detail"]),
)
