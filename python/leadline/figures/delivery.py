"""What became of calls and messages: refused by the library, cancelled, never received, received from nobody."""

from __future__ import annotations

from dataclasses import dataclass

from leadline.figures.run import Run


@dataclass(frozen=True)
class Delivery:
    """Of the whole run.

    refused: calls that name a partner and ended with an error, which moved nothing.
    never_received: messages that no receive was posted for, at least; None if the recording cannot tell.
    from_nobody: messages that were received and that no recorded call sent, at least; None if it cannot tell.
    """

    refused: int
    cancelled_sends: int
    cancelled_receives: int
    never_received: int | None
    from_nobody: int | None


def delivery_of(run: Run) -> Delivery:
    ends = [process.total.ends for process in run.processes]
    cancelled = sum(end.cancelled_sends for end in ends)
    never, nobody = _unmatched(run, cancelled)
    return Delivery(
        refused=sum(end.refused for end in ends),
        cancelled_sends=cancelled,
        cancelled_receives=sum(end.cancelled_receives for end in ends),
        never_received=never,
        from_nobody=nobody,
    )


def _unmatched(run: Run, cancelled: int) -> tuple[int | None, int | None]:
    """Numbers suffice: a rank takes no more messages than were sent to it, and posts a receive for each."""
    whole = run.complete and len(run.worlds) == 1 and not run.losses
    if not whole or any(process.pauses.count for process in run.processes):
        return None, None
    (world,) = run.worlds
    sent = dict.fromkeys(range(len(run.processes)), 0)
    for edge in run.profile.edges():
        target = world.processes.get(edge.target)
        if target is None:  # of another world, or not known
            if edge.messages:
                return None, None
            continue
        sent[target] += edge.messages
    ends = [process.total.ends for process in run.processes]
    never = sum(max(sent[index] - (end.posted - end.cancelled_receives), 0) for index, end in enumerate(ends))
    nobody = sum(max(end.taken - sent[index], 0) for index, end in enumerate(ends))
    finished = all(process.finalized for process in run.processes)
    return max(never - cancelled, 0) if finished else None, nobody
