"""LogGOPSim's GOAL, as text: all ranks of the run in one file; those that are not exported do nothing."""

from __future__ import annotations

from pathlib import Path

from leadline import _core
from leadline.errors import UsageError
from leadline.figures.run import MOST_RANKS
from leadline.interchange.actions import scanned
from leadline.interchange.actions import written as written_of
from leadline.interchange.selection import Selection, Written


def export(selection: Selection, path: Path) -> Written:
    actions = scanned(selection)
    (world,) = selection.run.worlds
    ranks = max(world.size, max(world.processes) + 1)
    if ranks > MOST_RANKS:
        raise UsageError(f"{ranks:,} ranks are too many for GOAL: at most {MOST_RANKS:,}")
    out = _core.GoalExport(str(path), actions, ranks, selection.mark)
    traces = {trace.rank: index for trace, index in ((selection.run.processes[i], i) for i in selection.processes)}
    ordered = Selection(
        selection.run, tuple(traces[rank] for rank in sorted(traces)), selection.iterations, selection.loop
    )
    rank = 0
    for index, trace in ordered.traces():
        for missing in range(rank, trace.rank):
            out.write_nothing(missing)
        out.write(trace, index)
        rank = trace.rank + 1
    for missing in range(rank, ranks):
        out.write_nothing(missing)
    out.finish()
    return written_of(selection, actions)
