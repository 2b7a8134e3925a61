"""What the formats of simulators share: the ranks' actions, and what is said of them."""

from __future__ import annotations

from leadline import _core
from leadline.errors import UsageError
from leadline.interchange.missing import kept_iterations, nothing
from leadline.interchange.selection import Selection, Written


def scanned(selection: Selection) -> _core.Actions:
    """The first pass, which finds the messages. Raises UsageError if the ranks are of several worlds."""
    run = selection.run
    if len(run.worlds) != 1 or any(run.processes[index].rank < 0 for index in selection.processes):
        raise UsageError("a simulator replays one MPI_COMM_WORLD: choose its ranks with --ranks")
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
        "estimated": "computations are means over their call site, because single times were not kept "
        f"({kept_iterations(selection)})",
        "unmatched": "message ends were left out: the matching ends are not among the exported calls",
        "parts": "collectives were left out: they involve only some of the ranks, or simulators lack them",
        "threads": "calls of further threads were left out",
        "untold": "receives from any rank were left out: the program did not ask who sent, or nothing completed them",
    }
    found = Written({"message": sums["messages"], "collective call": sums["collectives"]})
    found.notes += [f"{sums[what]:,} {text}" for what, text in notes.items() if sums[what]]
    return found
