"""Named regions, and what the MPI library says of itself, as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.report import format as fmt
from leadline.report.control import RegionEntry
from leadline.report.tables import Line

MOST_REGIONS = 30


def region_lines(entries: Sequence[RegionEntry], width: int) -> list[Line]:
    """A region a line, those within it indented beneath; the last columns are the ranks' least and most time."""
    lines: list[Line] = [
        ("   Time  MPI in it   Entries     #Call   Bytes  least ... most (rank)", "dim"),
    ]
    for entry in entries[:MOST_REGIONS]:
        share = fmt.percent(entry.mpi_s / entry.time_s) if entry.time_s > 0 else "-"
        numbers = (
            f"{fmt.seconds(entry.time_s):>7}  {share:>9}  {fmt.short_count(entry.entries):>8}  "
            f"{fmt.short_count(entry.calls):>8}  {fmt.size(entry.n_bytes):>6}"
        )
        spread = f"{fmt.seconds(entry.time_min_s)} ... {fmt.seconds(entry.time_max_s)} ({entry.max_rank})"
        name = "  " * (len(entry.path) - 1) + entry.name
        lines.append((name[:width], "bold"))
        lines.append(f"{numbers}  {spread}")
    if len(entries) > MOST_REGIONS:
        lines.append(f"and {fmt.plural(len(entries) - MOST_REGIONS, 'more region')}: --json")
    return lines
