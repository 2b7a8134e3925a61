"""The study on a terminal: for each series and number of processes, the times of all algorithms and releases."""

from __future__ import annotations

from typing import Any

from leadline.bench.study import SERIES
from leadline.text.screen import Line, Screen

MOST_LENGTHS = 7  # columns


def draw(content: dict[str, Any], out: Screen) -> None:
    rows = content["rows"]
    for series in SERIES:
        for processes in sorted({row["processes"] for row in rows if row["series"] == series.name}):
            own = [row for row in rows if (row["series"], row["processes"]) == (series.name, processes)]
            out.section(f"{series.name}, {processes} processes", "median µs, by number of doubles")
            out.lines(_times(own, content["libraries"]))
    for what in content["left_out"]:
        out.paragraph(f"Not measured: {what}.", "dim")
    for what, why in content["failed"].items():
        out.item(f"{what}: {why}")
    out.section("Conclusions of the study", "A. V. Leus: data exchange with several Intel MPI versions")
    for each in content["claims"]:
        out.item(f"{each['claim']} ({each['published']}): {each['verdict']}. {each['why']}.")


def _times(rows: list[dict[str, Any]], libraries: list[str]) -> list[Line]:
    lengths = sorted({row["elements"] for row in rows})[-MOST_LENGTHS:]
    by = {(row["algorithm"], row["library"], row["elements"]): row["median_us"] for row in rows}
    wide = max([9, *(len(f"{length:,}") + 2 for length in lengths)])
    lines: list[Line] = []
    for algorithm in dict.fromkeys(row["algorithm"] for row in rows):
        lines.append((f"{algorithm:18}" + "".join(f"{length:>{wide},}" for length in lengths), "dim"))
        for library in libraries:
            cells = [by.get((algorithm, library, length)) for length in lengths]
            if any(cell is not None for cell in cells):
                words = "".join(f"{'–':>{wide}}" if cell is None else f"{cell:>{wide}.4g}" for cell in cells)
                lines.append(f"{library:18}{words}")
    return lines
