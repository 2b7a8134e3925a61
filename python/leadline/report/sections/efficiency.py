"""Efficiency of the run and of its phases, as POP defines it."""

from __future__ import annotations

from typing import Any

from leadline.figures.content import Content
from leadline.figures.phases import Efficiency
from leadline.report.section import Section
from leadline.report.sections.phases import efficiency_json
from leadline.text.screen import Screen

METHOD = "POP: parallel efficiency = load balance × communication efficiency; MPI_Init and MPI_Finalize do not count"


def run_efficiency(content: Content) -> Efficiency | None:
    """Of the time between MPI_Init and MPI_Finalize; None if nothing was computed."""
    each = [rank.computation_s for rank in content.ranks]
    elapsed = [rank.time_s - rank.category_s["startup"] for rank in content.ranks]
    longest = max(each, default=0.0)
    if longest <= 0 or max(elapsed) <= 0:
        return None
    return Efficiency(sum(each) / len(each) / longest, min(1.0, longest / max(elapsed)))


def figures(content: Content) -> dict[str, Any]:
    return {
        "efficiency": {
            "method": METHOD,
            "run": efficiency_json(run_efficiency(content)),
            "phases": [
                {"name": entry.name, "kind": entry.kind, **(efficiency_json(entry.efficiency) or {})}
                for entry in content.phases
                if entry.efficiency is not None
            ],
        }
    }


def draw(content: Content, out: Screen) -> None:
    rows = [("between MPI_Init and MPI_Finalize", run_efficiency(content))]
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
    present=lambda report: bool((report.get("efficiency") or {}).get("run")),
)
