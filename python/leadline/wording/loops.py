"""Loops whose iterations calls do not show, and why a run has no main loop."""

from __future__ import annotations

from leadline.figures.loops import NamedLoop
from leadline.figures.run import Run
from leadline.text import format as fmt

MISSING = {
    "none": "no loop takes 10 % of the time or more",
    "apart": "ranks have different main loops or numbers of iterations",
    "few": "the most expensive loop has fewer than three iterations",
}


def why_no_main_loop(run: Run) -> str:
    """Words that complete a sentence."""
    return MISSING.get(run.profile.iterations().missing, MISSING["none"])


def restarting(loop: NamedLoop) -> str:
    """ "its call sequence restarts 10 times, after every 70 iterations of its inner loop"; "" if not."""
    if not loop.restarts:
        return ""
    iterations = fmt.plural(loop.restart_trips, "iteration")
    after = f", after every {iterations} of its inner loop" if loop.restart_trips else ""
    return f"its call sequence restarts {loop.restarts:,} times{after}"
