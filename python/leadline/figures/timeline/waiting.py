"""Which part of a call was waiting: by the same rules as the wait states of the run, of which these are parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from leadline import _core
from leadline.figures.content import Content
from leadline.figures.order import iteration_waits

MOST_CALLS = 1_000_000
"""With the iterations before and after, so many calls are read at once."""


class CallWait(NamedTuple):
    """From the begin of a call on.   process: that was waited for, an index into run.processes."""

    kind: str
    seconds: float
    process: int


def waits_in(content: Content, iterations: Sequence[int]) -> _core.IterationWaits | None:
    """Of kept iterations, which ascend; None if waits are unknown."""
    known = content.found_waits
    if known is None or content.iterations is None:
        return None
    return iteration_waits(content.run, list(iterations), content.iterations.found.loop, known)


def by_iteration(content: Content, iterations: Sequence[int]) -> Iterator[tuple[int, _core.CallWaits | None]]:
    """The waits of the calls of each of these iterations, which ascend; of no more at once than memory should hold."""
    known = content.found_waits
    if known is None or known.calls is not None or content.iterations is None:
        yield from ((number, known.calls if known is not None else None) for number in iterations)
        return
    calls = max(1.0, content.iterations.found.calls * 3 * len(content.run.processes))
    at_once = max(1, int(MOST_CALLS / calls))
    for first in range(0, len(iterations), at_once):
        some = list(iterations[first : first + at_once])
        found = waits_in(content, some)
        yield from ((number, found.calls if found is not None else None) for number in some)
