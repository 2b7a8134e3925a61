"""An iteration before and after a change, as `leadline predict --timeline` draws it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leadline.errors import UsageError
from leadline.figures.content import Content
from leadline.text import format as fmt

if TYPE_CHECKING:
    from leadline.predict import Change, Replays

Piece = tuple[str, str]  # text, style
MOST_LANES = 16
NONE = "--timeline: the run has no main loop that every rank entered once, or its iterations have too many calls"


def replayed_steps_data(replays: Replays, change: Change) -> dict[str, Any]:
    """In the form of docs/tune/advise.md, with one step in `after`. Raises UsageError if nothing can be drawn."""
    from leadline.advice.timelines import before_and_after

    found = before_and_after(Content(replays.run), replays, replays.unchanged(change), [change])
    if found is None or found["after"][0] is None:
        raise UsageError(NONE)
    return found


def replayed_steps_lines(replays: Replays, change: Change, width: int) -> list[list[Piece]]:
    """Raises UsageError if nothing can be drawn."""
    from leadline.figures.timeline.drawing import Drawing
    from leadline.figures.timeline.lanes import choose_lanes
    from leadline.predict.replayed_steps import ReplayedSteps
    from leadline.report.timeline_text import picture
    from leadline.wording.timelines import shown_ranks

    lanes = choose_lanes(Content(replays.run), MOST_LANES)
    steps = ReplayedSteps(replays, lanes.processes)
    drawing = Drawing(steps)
    base = replays.unchanged(change)
    found = [("as recorded, replayed", steps.of(base))]
    if change != base:
        found.append(("with the change, predicted", steps.of(change)))
    labels = [replays.run.label(process) for process in lanes.processes]
    lines: list[list[Piece]] = []
    longest = max((each.calls.stop_s - each.calls.start_s for _, each in found if each is not None), default=0.0)
    for title, each in found:
        if each is None:
            raise UsageError(NONE)
        calls = each.calls
        categories = [drawing.category(function) for _, function in calls.kinds]
        of_row = [categories[kind] for kind in calls.kind]
        drawn = picture(calls, labels, range(len(labels)), width, of_row.__getitem__, longest)
        took = fmt.seconds(calls.stop_s - calls.start_s)
        lines += [[("", "")], [(f"an iteration {title}: {took}", "bold")], *drawn]
    if why := shown_ranks(replays.run, lanes):
        lines.append([(why, "dim")])
    return lines
