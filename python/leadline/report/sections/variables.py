"""The MPI library's performance variables (MPI_T), and its settings in the environment."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from leadline.figures.content import Content
from leadline.figures.control import LibrarySetting, Variable, settings, variables
from leadline.figures.json_entries import rank_id
from leadline.report.section import Section
from leadline.statistics.median import median
from leadline.text import format as fmt
from leadline.text.screen import Line, Screen


def figures(content: Content) -> dict[str, Any]:
    return {
        "variables": [_variable(entry) for entry in variables(content.run)] or None,
        "settings": [_setting(entry) for entry in settings(content.run)] or None,
    }


def _variable(entry: Variable) -> dict[str, Any]:
    numbers = [value for _, value in entry.values]
    most = max(numbers)
    return {
        "name": entry.name,
        "description": entry.description,
        "class": entry.cls,
        "unit": entry.unit,
        "min": min(numbers),
        "median": median(numbers),
        "max": most,
        "max_rank": rank_id(entry.values[numbers.index(most)][0]),
        "ranks": len(numbers),
        "values": [{"rank": rank_id(rank), "value": value} for rank, value in entry.values],
    }


def _setting(entry: LibrarySetting) -> dict[str, Any]:
    return {
        "name": entry.name,
        "value": entry.value,
        "ranks": None if entry.ranks is None else [rank_id(rank) for rank in entry.ranks],
    }


def draw(content: Content, out: Screen) -> None:
    run = content.run
    lines = [*_variable_lines(variables(run), out.width), *_setting_lines(settings(run), out.width)]
    if lines:
        out.section(SECTION.title, "performance variables before MPI_Finalize, and environment settings")
        out.lines(lines)


def _variable_lines(variables: Sequence[Variable], width: int) -> list[Line]:
    """A variable a line: least, median and most of the ranks that have it."""
    lines: list[Line] = []
    for variable in variables:
        numbers = [value for _, value in variable.values]
        most = max(numbers)
        rank = variable.values[numbers.index(most)][0]
        middle = median(numbers)
        spread = f"{min(numbers):,.6g} ... {middle:,.6g} ... {most:,.6g} ({rank})"
        lines.append(f"{variable.name} ({variable.cls}): {spread}")
    return lines


def _setting_lines(settings: Sequence[LibrarySetting], width: int) -> list[Line]:
    lines: list[Line] = []
    for setting in settings:
        who = "" if setting.ranks is None else f"  ({fmt.plural(len(setting.ranks), 'rank')} only)"
        lines.append(textwrap.shorten(f"{setting.name}={setting.value}", width - len(who), placeholder=" …") + who)
    return lines


SECTION = Section(
    id="variables",
    title="MPI library internals (MPI_T)",
    short="MPI library",
    order=120,
    figures=figures,
    draw=draw,
    present=lambda report: bool(report["variables"] or report["settings"]),
)
