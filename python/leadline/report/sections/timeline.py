"""Representative steps call by call: a picture in the page; `leadline timeline` draws them in the terminal."""

from __future__ import annotations

from typing import Any

from leadline.figures.content import Content
from leadline.report.section import Section


def figures(content: Content) -> dict[str, Any]:
    from leadline.figures.timeline.drawing import timeline_figures

    timeline, why_none = timeline_figures(content)
    return {"timeline": timeline, "no_timeline": why_none}


SECTION = Section(
    id="timeline",
    title="Timeline of a step",
    short="Timeline",
    order=34,
    figures=figures,
    present=lambda report: bool(report.get("timeline") or report.get("no_timeline")),
    elsewhere={"terminal": "leadline timeline draws it"},
)
