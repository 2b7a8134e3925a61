"""An iteration before and after each of the first proposals, as it is replayed, for the cards of the page."""

from __future__ import annotations

from typing import Any

from leadline.errors import LeadlineError
from leadline.figures.content import Content
from leadline.figures.json_entries import rank_id
from leadline.figures.timeline.drawing import Drawing
from leadline.figures.timeline.lanes import choose_lanes
from leadline.predict import Change, Replays
from leadline.predict.replayed_steps import ReplayedStep, ReplayedSteps
from leadline.wording.timelines import shown_ranks

MOST_LANES = 16
MOST_MARKS = 12_000
"""Of all iterations on the cards together."""


def before_and_after(
    content: Content, replays: Replays, base: Change, proposals: list[Change]
) -> dict[str, Any] | None:
    """In the form of docs/tune/advise.md; None if there is nothing to draw.   base: what the proposals are beside."""
    lanes = choose_lanes(content, MOST_LANES)
    steps = ReplayedSteps(replays, lanes.processes)
    before = _replayed(steps, base)
    if before is None or len(before.calls) > MOST_MARKS // 2:
        return None
    drawing, left = Drawing(steps), MOST_MARKS - len(before.calls)
    drawn: list[dict[str, Any] | None] = []
    for change in proposals:
        after = _replayed(steps, change)
        fits = after is not None and len(after.calls) <= left
        left -= len(after.calls) if after is not None and fits else 0
        drawn.append(_drawn(drawing, after) if after is not None and fits else None)
    return {
        "ranks": [rank_id(content.run.label(process)) for process in lanes.processes],
        "ranks_why": shown_ranks(content.run, lanes) or None,
        "before": _drawn(drawing, before),
        "after": drawn,
        "sites": drawing.sites,
    }


def _drawn(drawing: Drawing, replayed: ReplayedStep) -> dict[str, Any]:
    return {**drawing.step(replayed.step, replayed.calls, []), "iteration": None}


def _replayed(steps: ReplayedSteps, change: Change) -> ReplayedStep | None:
    try:
        return steps.of(change)
    except LeadlineError:
        return None
