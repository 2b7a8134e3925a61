"""Why waiting is unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadline.text import format as fmt
from leadline.wording.timelines import no_whole_iteration, series_for_all_calls

if TYPE_CHECKING:
    from leadline.figures.content import Content


def why_unknown(content: Content) -> str | None:
    """Words that complete a sentence; None if waiting is known."""
    waits = content.waits
    if waits.total_s is not None:
        return None
    if waits.ends_apart:
        return "a rank's trace is missing or truncated"
    if waits.too_much_unseen:
        share = fmt.percent(content.share(waits.unseen_s))
        room = series_for_all_calls(content.run)
        return f"no call times were kept of MPI calls that take {share} of the time (record with {room})"
    iterations = content.iterations
    if iterations is not None and iterations.region is None and iterations.found.kept == "sampled":
        return no_whole_iteration(content.run)
    return "no call times were kept"
