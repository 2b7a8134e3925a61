"""What the change of an iteration's time is made of: computation, waiting for ranks, transfer (other MPI), files."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from leadline.compare.subject import Group, Part, Subject
from leadline.text import format as fmt

LEAST = 0.1  # of the change of the iteration; smaller parts are not named
MOST_NAMED = 3


@dataclass(frozen=True)
class Portion:
    """seconds: per iteration, mean over ranks and iterations, of B less that of A."""

    what: str
    seconds: float

    @property
    def text(self) -> str:
        return f"{fmt.seconds(abs(self.seconds))} {'less' if self.seconds < 0 else 'more'} {self.what}"


def portions(a: Group, b: Group) -> list[Portion]:
    """The largest first; empty if a run has no main loop, or if its parts are unknown. Together they are the change of
    an iteration's mean."""
    before, after = _means(a), _means(b)
    if before is None or after is None:
        return []
    if before.keys() != after.keys():  # waiting is known of one of them only
        before, after = _without_waiting(before), _without_waiting(after)
    found = [Portion(what, after[what] - before[what]) for what in before]
    return sorted(found, key=lambda portion: -abs(portion.seconds))


def named(found: Sequence[Portion]) -> list[Portion]:
    """Those worth a sentence."""
    whole = abs(sum(portion.seconds for portion in found))
    return [portion for portion in found if abs(portion.seconds) > LEAST * whole][:MOST_NAMED] if whole > 0 else []


WAITING = "waiting for other ranks"
MPI = "MPI"
OTHER_MPI = "transfer"


def _means(group: Group) -> dict[str, float] | None:
    each = [_of_run(run) for run in group.runs]
    known = [one for one in each if one is not None]
    if len(known) < len(each):
        return None
    if len({tuple(one) for one in known}) > 1:
        known = [_without_waiting(one) for one in known]
    return {what: statistics.fmean(one[what] for one in known) for what in known[0]}


def _of_run(run: Subject) -> dict[str, float] | None:
    loop = run.loop
    if loop is None or not run.iterations or loop.computation_s is None or loop.mpi_s is None:
        return None
    each = run.ranks * run.iterations
    return {what: seconds / each for what, seconds in _seconds(loop, loop.computation_s, loop.mpi_s).items()}


def _seconds(loop: Part, computation: float, mpi: float) -> dict[str, float]:
    files = {"file I/O": max(0.0, loop.time_s - computation - mpi)}
    if loop.wait_s is None:
        return {"computation": computation, MPI: mpi, **files}
    return {"computation": computation, WAITING: loop.wait_s, OTHER_MPI: mpi - loop.wait_s, **files}


def _without_waiting(one: dict[str, float]) -> dict[str, float]:
    if WAITING not in one:
        return one
    rest = {what: seconds for what, seconds in one.items() if what not in (WAITING, OTHER_MPI)}
    return {MPI: one[WAITING] + one[OTHER_MPI], **rest}
