"""Efficiency of the run and of its phases, as POP defines it."""

from __future__ import annotations

from typing import Any

from leadline.figures.content import Content
from leadline.report.section import Section
from leadline.report.sections.phases import efficiency_json
from leadline.text.screen import Screen

METHOD = "POP: parallel efficiency = load balance × communication efficiency (MPI_Init and MPI_Finalize excluded)"


def figures(content: Content) -> dict[str, Any]:
    return {
        "efficiency": {
            "method": METHOD,
            "run": efficiency_json(content.efficiency),
            "phases": [
                {"name": entry.name, "kind": entry.kind, **(efficiency_json(entry.efficiency) or {})}
                for entry in content.phases
                if entry.efficiency is not None
            ],
        }
    }


def draw(content: Content, out: Screen) -> None:
    rows = [("between MPI_Init and MPI_Finalize", content.efficiency)]
    rows += [(entry.name, entry.efficiency) for entry in content.phases if entry.parent is None]
    known = [(name, efficiency) for name, efficiency in rows if efficiency is not None]
    if len(content.ranks) < 2 or not known:
        return
    out.section(SECTION.title, "parallel efficiency = load balance × communication")
    for name, efficiency in known:
        text = (
            f"{100 * efficiency.parallel:5.1f} % = {100 * efficiency.load_balance:5.1f} % × "
            f"{100 * efficiency.communication:5.1f} %  {name}"
        )
        out.lines([text])


SECTION = Section(
    id="efficiency",
    title="Efficiency",
    order=32,
    figures=figures,
    draw=draw,
    nothing=lambda content: "unknown: it needs two ranks whose time is known",
    present=lambda report: bool((report.get("efficiency") or {}).get("run")),
)
