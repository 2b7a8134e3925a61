"""Leadline's own algorithms for the record's collective calls, measured alone: a brief `leadline tune --trace`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from leadline import mpi
from leadline.errors import MissingPrerequisite
from leadline.tuning.calls import Calls, library_of_run, of_run
from leadline.tuning.probing import Subject
from leadline.tuning.table import Table
from leadline.tuning.tune import Wanted, tune

MOST_SIZES = 3  # of an operation: those that move most
LAUNCHES, ROUNDS, SECONDS = 3, 60, 0.5
LEAST_S = 60.0


def measure_alone(
    operations: list[str], record: Path, about: Subject, limit_s: float, progress: Callable[[str], None]
) -> Table:
    """The rules that won. Raises MissingPrerequisite if that can't be done here, or not in this time."""
    if limit_s < LEAST_S:
        raise MissingPrerequisite(f"that takes a minute or more, a quarter of what is left of --for is {limit_s:.0f} s")
    name = library_of_run(record)
    if name is None:
        raise MissingPrerequisite("no compiler of the run's MPI library is known, which builds the benchmark")
    calls = _most_moved(of_run(record), operations)
    wanted = Wanted(
        mpi.find(name),
        tuple(dict.fromkeys(call.operation for call in calls)),
        calls=calls,
        launches=LAUNCHES,
        rounds=ROUNDS,
        seconds=SECONDS,
    )
    return tune(wanted, lambda _: None, progress).table


def _most_moved(calls: list[Calls], operations: list[str]) -> tuple[Calls, ...]:
    taken: Counter[str] = Counter()
    found = []
    for call in calls:  # most bytes first
        if call.operation in operations and taken[call.operation] < MOST_SIZES:
            taken[call.operation] += 1
            found.append(call)
    return tuple(found)
