"""Named regions, and what the MPI library says of itself, as lines of text."""

from __future__ import annotations

import statistics
import textwrap
from collections.abc import Sequence

from leadline.report import format as fmt
from leadline.report.control import LibrarySetting, RegionEntry, Variable
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


def variable_lines(variables: Sequence[Variable], width: int) -> list[Line]:
    """A variable a line: least, median and most of the ranks that have it."""
    lines: list[Line] = []
    for variable in variables:
        numbers = [value for _, value in variable.values]
        most = max(numbers)
        rank = variable.values[numbers.index(most)][0]
        middle = statistics.median(numbers)
        spread = f"{min(numbers):,.6g} ... {middle:,.6g} ... {most:,.6g} ({rank})"
        lines.append(f"{variable.name} ({variable.cls}): {spread}"[: max(width, 80)])
    return lines


def setting_lines(settings: Sequence[LibrarySetting], width: int) -> list[Line]:
    lines: list[Line] = []
    for setting in settings:
        who = "" if setting.ranks is None else f"  ({fmt.plural(len(setting.ranks), 'rank')} only)"
        lines.append(textwrap.shorten(f"{setting.name}={setting.value}", width - len(who), placeholder=" …") + who)
    return lines
