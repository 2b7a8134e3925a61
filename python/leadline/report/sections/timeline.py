"""Representative steps call by call: a picture in the page; `leadline timeline` draws them in the terminal."""

from __future__ import annotations

from typing import Any

from leadline.errors import UsageError
from leadline.figures.content import Content
from leadline.figures.timeline import Absent
from leadline.report.section import Section
from leadline.wording.timelines import kept_iteration, shown_ranks, why_none


def figures(content: Content) -> dict[str, Any]:
    from leadline.figures.timeline.drawing import timeline_figures
    from leadline.figures.timeline.lanes import shown_lanes

    lanes = shown_lanes(content)
    found = timeline_figures(content, lanes, kept_iteration)
    if isinstance(found, Absent) and content.iteration is not None:
        raise UsageError(f"no timeline: {why_none(content.run, found)}")
    if isinstance(found, Absent):
        return {"timeline": None, "no_timeline": why_none(content.run, found)}
    ranks = {"ranks": found.pop("ranks"), "ranks_why": shown_ranks(content.run, lanes) or None}
    return {"timeline": {**ranks, **found}, "no_timeline": None}


SECTION = Section(
    id="timeline",
    title="Timeline of an iteration",
    short="Timeline",
    order=34,
    figures=figures,
    present=lambda report: bool(report.get("timeline") or report.get("no_timeline")),
    elsewhere={"terminal": "draw it with leadline timeline"},
)
