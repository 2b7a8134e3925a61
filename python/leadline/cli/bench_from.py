"""leadline bench --from RUN: exactly the collectives of a recorded run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.cli.reporting import say_owner
from leadline.cli.saying import say, shown
from leadline.operations import operations
from leadline.text.printing import write_json

if TYPE_CHECKING:
    from leadline.bench.grid import Dims
    from leadline.figures.run import Run

FAILED = 7


def bench_from(
    directory: Path,
    operation: str | None,
    library: str | None,
    launcher: str | None,
    arrival: str | None,
    grids: dict[int, Dims],
    *,
    json_: bool,
    **how: Any,
) -> int:
    """arrival: a run whose delays are taken in place of this one's, or "together".   grids: of ranks with neighbours,
    by their number.   how: as leadline.bench.measure takes it.
    """
    from leadline.cli.workload import default_library, library_for, library_of_launcher
    from leadline.figures.run import open_run
    from leadline.runs.progress import ProgressLine
    from leadline.tuning.arriving import chosen as arrivals_of
    from leadline.tuning.calls import library_of_run, of_run
    from leadline.tuning.savings import calls_of, measure_calls
    from leadline.tuning.savings_output import print_savings

    say_owner(directory)
    calls = calls_of(directory, [operation] if operation else list(operations()), of_run(directory, grids, say))
    chosen = library or library_of_launcher((launcher or "").split()) or library_of_run(directory)
    chosen = chosen or default_library("c++", max(call.processes for call in calls))
    say(f"measuring {len(calls)} distinct calls of {shown(directory)} with {chosen}")
    points = [(call.operation, call.n_bytes, call.processes) for call in calls]
    arrivals = arrivals_of(arrival, directory, points, say)
    with ProgressLine(say) as line:
        found = measure_calls(
            calls,
            library_for(chosen),
            launcher=launcher or "",
            arrivals=arrivals,
            grids=grids,
            progress=line.show,
            **how,
        )
    found.iterations = iterations_of(open_run(directory))
    if json_:
        write_json(found.document(), sys.stdout)
    else:
        print_savings(found)
    found.interruption.end_if_any()
    return FAILED if found.failed else 0


def iterations_of(run: Run) -> int | None:
    """Of the main loop, which are the program's steps; None where that is not known."""
    from leadline.figures.iterations import iterations

    found = iterations(run)
    if found is None or found.lumped or (found.loop is not None and found.loop.lumps):
        return None
    return found.found.count or None
