"""POP's efficiencies, of the run and of its phases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadline import _core
from leadline.figures.rank_times import RankEntry


@dataclass(frozen=True)
class Efficiency:
    """POP's efficiencies: parallel = load_balance × communication.

    load_balance: mean over ranks of the computation, divided by the longest one.   communication: the longest
    computation, divided by the time of the rank that took longest. MPI_Init and MPI_Finalize do not count; file I/O
    counts as communication.
    """

    load_balance: float
    communication: float

    @property
    def parallel(self) -> float:
        return self.load_balance * self.communication


def of_run(ranks: Sequence[RankEntry]) -> Efficiency | None:
    """Of the time between MPI_Init and MPI_Finalize; None if nothing was computed."""
    each = [rank.computation_s for rank in ranks]
    elapsed = [rank.time_s - rank.category_s["startup"] for rank in ranks]
    longest = max(each, default=0.0)
    if longest <= 0 or max(elapsed) <= 0:
        return None
    return Efficiency(sum(each) / len(each) / longest, min(1.0, longest / max(elapsed)))


def of_phase(times: Sequence[_core.PhaseTime]) -> Efficiency | None:
    """None if no rank computed in it."""
    each = [t.computation for t in times]
    longest = max(each, default=0.0)
    elapsed = max((t.computation + t.mpi + t.io for t in times), default=0.0)
    if longest <= 0 or elapsed <= 0:
        return None
    return Efficiency(sum(each) / len(each) / longest, longest / elapsed)
