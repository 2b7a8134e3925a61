"""What the program said of itself (named regions, pauses), and what the MPI library says (variables, settings)."""

from __future__ import annotations

from dataclasses import dataclass

from leadline.run import Run


@dataclass(frozen=True)
class PausedRank:
    """When recording was paused on a rank. intervals: (from, to) in s since its MPI_Init; to None: until the end."""

    rank: str
    times: int
    seconds: float
    calls: int
    intervals: tuple[tuple[float, float | None], ...]


def paused_ranks(run: Run) -> list[PausedRank]:
    found = []
    for index in run.order:
        pauses = run.processes[index].pauses
        if not pauses.count:
            continue
        intervals: list[tuple[float, float | None]] = [(begin * 1e-9, end * 1e-9) for begin, end in pauses.first]
        if pauses.lasted and len(intervals) == pauses.count:
            intervals[-1] = (intervals[-1][0], None)
        found.append(PausedRank(run.label(index), pauses.count, pauses.sum_ns * 1e-9, pauses.calls, tuple(intervals)))
    return found
