"""Routines of the program, with all MPI calls made in them and in routines they call, and chains of routines."""

from __future__ import annotations

from typing import Any

from leadline.figures.content import Content
from leadline.figures.json_entries import entry_json
from leadline.report.entry_lines import clip_front, header, numbers
from leadline.report.section import Section
from leadline.text import format as fmt
from leadline.text.screen import Line, Screen

LEAST_NAME = 12

MOST_ROUTINES = 10
NEARLY_ALL = 0.999


def figures(content: Content) -> dict[str, Any]:
    return {
        "routines": [
            {"routine": entry.name, "full": entry.key, "at_least": entry.at_least, **entry_json(entry)}
            for entry in content.routines
        ],
        "call_paths": [{"path": entry.name, **entry_json(entry)} for entry in content.call_paths],
    }


def draw(content: Content, out: Screen) -> None:
    lines = _routines(content, out.width)
    if lines:
        out.section(SECTION.title, "inclusive: calls in callees count, too")
        out.lines(lines)


def _routines(content: Content, width: int) -> list[Line]:
    """By routine, with all it calls; without those that make all the calls or that are seen in part only."""
    of_all = NEARLY_ALL * content.calls
    entries = [e for e in content.routines if e.calls < of_all and e.name != "main" and not e.at_least]
    if len(entries) < 2:
        return []
    lines = header("Name", width, inclusive=True)
    for entry in entries[:MOST_ROUTINES]:
        cells = numbers(entry, width)
        name = clip_front(entry.name, max(width - len(cells) - 2, LEAST_NAME))
        line = f"{cells}  {name}"
        lines += [line] if len(line) <= width else [cells, f"{clip_front(entry.name, width):>{width}}"]
    if len(entries) > MOST_ROUTINES:
        lines.append(f"and {fmt.plural(len(entries) - MOST_ROUTINES, 'more routine')}")
    return lines


SECTION = Section(
    id="routines",
    title="Routines",
    order=60,
    figures=figures,
    draw=draw,
    present=lambda report: len(report["routines"]) > 1,
)
