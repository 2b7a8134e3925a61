"""More steps than can be replayed one by one: some are replayed, the others take as long as these did in the mean.

Where a run becomes periodic, its periods are skipped exactly, and any number of steps is replayed. It does not where
the computation varies from step to step. Then the times of as many steps are replayed as MOST_MESSAGES allow, and of
half as many; each further step takes what one of the second half took. Draws of the recorded steps make the interval:
each is extrapolated by itself, so that the interval is that of means over half of the replayed steps, wider than that
of means over all steps would be.
"""

from __future__ import annotations

from dataclasses import dataclass

from leadline import _core

MOST_MESSAGES = 4_000_000  # of one replay
LEAST_STEPS = 4  # as often as the recording has steps at least


@dataclass(frozen=True)
class Replay:
    """steps: of these, so many were replayed; the others are extrapolated. 0: all were replayed."""

    outcome: _core.ReplayOutcome
    steps: int = 0


def is_whole(settings: _core.ReplaySettings, recorded: int) -> bool:
    """Whether so many steps are always replayed, each of them.   recorded: the recording's number of steps."""
    return not recorded or settings.steps <= LEAST_STEPS * recorded


def replayed(tree: _core.ReplayTree, settings: _core.ReplaySettings, recorded: int, traced: bool = False) -> Replay:
    """recorded: the recording's number of steps."""
    wanted = settings.steps
    if is_whole(settings, recorded):
        return Replay(tree.replay(settings, traced))
    few = _with_steps(tree, settings, LEAST_STEPS * recorded, traced)
    messages = few["messages"] / (LEAST_STEPS * recorded)
    if few["stuck"] or few["replayed"] < few["messages"] or wanted * messages <= MOST_MESSAGES:
        return Replay(_with_steps(tree, settings, wanted, traced))
    half = max(LEAST_STEPS * recorded, int(MOST_MESSAGES / messages)) // 2
    if wanted <= 2 * half:
        return Replay(_with_steps(tree, settings, wanted, traced))
    one, both = (_with_steps(tree, settings, steps, traced) for steps in (half, 2 * half))
    if one["stuck"] or both["stuck"]:
        return Replay(both if both["stuck"] else one)
    return Replay(_extrapolated(one, both, half, wanted), 2 * half)


def _with_steps(
    tree: _core.ReplayTree, settings: _core.ReplaySettings, steps: int, traced: bool
) -> _core.ReplayOutcome:
    kept, settings.steps = settings.steps, steps
    try:
        return tree.replay(settings, traced)
    finally:
        settings.steps = kept


def _extrapolated(one: _core.ReplayOutcome, both: _core.ReplayOutcome, half: int, wanted: int) -> _core.ReplayOutcome:
    """one, both: `half` steps and twice as many were replayed."""
    more, found = wanted - 2 * half, both.copy()
    longer_s = (max(both["loop_end_s"]) - max(one["loop_end_s"])) / half * more
    found["loop_end_s"] = [end_s + longer_s for end_s in both["loop_end_s"]]
    found["end_s"] = [end_s + longer_s for end_s in both["end_s"]]
    found["messages"] = both["messages"] + (both["messages"] - one["messages"]) * more // half
    parts = zip(one["sensitivities"], both["sensitivities"], strict=True)
    latency, overhead, gap, gap_bytes = (last + (last - first) * more // half for first, last in parts)
    found["sensitivities"] = latency, overhead, gap, gap_bytes
    return found
