"""What the formats of simulators share: the ranks' actions, and notes about them."""

from __future__ import annotations

from leadline import _core
from leadline.errors import UsageError
from leadline.interchange.missing import kept_iterations, nothing
from leadline.interchange.selection import Selection, Written


def scanned(selection: Selection) -> _core.Actions:
    """The first pass, which finds the messages. Raises UsageError if the ranks are of several worlds."""
    run = selection.run
    if len(run.worlds) != 1 or any(run.processes[index].rank < 0 for index in selection.processes):
        raise UsageError(
            "the run has several MPI_COMM_WORLDs, but simulators replay only one: choose its ranks with --ranks"
        )
    actions = _core.Actions(run.profile, selection.loop, selection.iterations)
    for index, trace in selection.traces():
        actions.scan(trace, index)
    actions.settle()
    return actions


def written(selection: Selection, actions: _core.Actions) -> Written:
    sums = actions.sums()
    if not sums["actions"]:
        raise UsageError(nothing(selection, 0))
    notes = {
        "estimated": "computation times are call-site means, because call times were not kept "
        f"({kept_iterations(selection)})",
        "unmatched": "sends or receives omitted: their partners are not among the exported calls",
        "parts": "collectives omitted: on a subset of the ranks, or unknown to simulators",
        "threads": "calls omitted: made by threads other than the first",
        "untold": "MPI_ANY_SOURCE receives omitted: sender unknown (status ignored, or never completed)",
    }
    found = Written({"message": sums["messages"], "collective call": sums["collectives"]})
    found.notes += [f"{sums[what]:,} {text}" for what, text in notes.items() if sums[what]]
    return found
