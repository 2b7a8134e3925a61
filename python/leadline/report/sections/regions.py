"""The program's own named regions, each followed by the regions within it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leadline.figures.content import Content
from leadline.figures.control import RegionEntry
from leadline.figures.json_entries import rank_id
from leadline.report.section import Section
from leadline.text import format as fmt
from leadline.text.screen import Line, Screen

MOST_REGIONS = 30


def figures(content: Content) -> dict[str, Any]:
    return {"regions": [_region(entry) for entry in content.regions] or None}


def _region(entry: RegionEntry) -> dict[str, Any]:
    return {
        "region": entry.name,
        "path": "/".join(entry.path),
        "parent": "/".join(entry.path[:-1]) or None,
        "entries": entry.entries,
        "time_s": entry.time_s,
        "mpi_s": entry.mpi_s,
        "calls": entry.calls,
        "messages": entry.messages,
        "bytes": entry.n_bytes,
        "one_sided_operations": entry.operations,
        "bytes_put": entry.bytes_put,
        "bytes_got": entry.bytes_got,
        "time_min_s": entry.time_min_s,
        "time_max_s": entry.time_max_s,
        "max_rank": rank_id(entry.max_rank),
    }


def draw(content: Content, out: Screen) -> None:
    if content.regions:
        out.section("Named regions", "inclusive time, summed over ranks")
        out.lines(_lines(content.regions, out.width))


def _lines(entries: Sequence[RegionEntry], width: int) -> list[Line]:
    """A line for each region, with the regions within it indented below; the last columns are min and max over
    ranks."""
    lines: list[Line] = [
        ("   Time        MPI   Entries     #Call   Bytes  min ... max (rank)", "dim"),
    ]
    for entry in entries[:MOST_REGIONS]:
        share = fmt.percent(entry.mpi_s / entry.time_s) if entry.time_s > 0 else "-"
        numbers = (
            f"{fmt.seconds(entry.time_s):>7}  {share:>9}  {fmt.short_count(entry.entries):>8}  "
            f"{fmt.short_count(entry.calls):>8}  {fmt.size(entry.n_bytes):>6}"
        )
        spread = f"{fmt.seconds(entry.time_min_s)} ... {fmt.seconds(entry.time_max_s)} ({entry.max_rank})"
        name = "  " * (len(entry.path) - 1) + entry.name
        lines.append((name, "bold"))
        lines.append(f"{numbers}  {spread}")
    if len(entries) > MOST_REGIONS:
        lines.append(f"and {fmt.plural(len(entries) - MOST_REGIONS, 'more region')}: --json")
    return lines


SECTION = Section(
    id="regions",
    title="Regions",
    order=70,
    figures=figures,
    draw=draw,
    present=lambda report: bool(report["regions"]),
)
