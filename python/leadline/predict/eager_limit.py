"""Up to which size a run's own sends ended before their messages were received."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from leadline import _core

SURE_NS = 2_000.0  # by which a receive is posted after its send has ended, or before, whatever the clocks
FEWEST = 5  # sends of one size whose receives were posted late


@dataclass(frozen=True)
class EagerLimit:
    """Bytes: messages of `low` were sent before they were received, those of `high` were not; None: none was.
    copied_low: the longest of those sent in place, by the library's default, whose sends did not wait either."""

    low: int
    high: int | None
    copied_low: int = 0

    def nearest(self, default: int) -> int:
        """The default, if it may be: nobody sends all sizes."""
        return max(min(default, self.high - 1 if self.high is not None else default), self.low)

    def copied(self, in_place: range) -> int:
        """Above which the sends of messages wait for a call of the receiver. in_place: by the library's default."""
        return max(in_place.start - 1, self.copied_low)


def eager_limit_of(
    messages: Sequence[_core.MessageTime], functions: Sequence[str], in_place: range = range(0)
) -> EagerLimit:
    """From blocking sends whose receives were posted late: had they ended by then?   in_place: bytes of messages whose
    sends wait for a call of the receiver, by the library's default: that they wait says nothing of the limit."""
    early: dict[int, list[bool]] = defaultdict(list)
    for each in messages:
        late = each.posted_ns > each.send_begin_ns + 2 * SURE_NS
        if functions[each.send_site] != "MPI_Send" or not late:
            continue
        if each.send_end_ns < each.posted_ns - SURE_NS:
            early[each.bytes].append(True)
        elif each.send_end_ns > each.posted_ns:
            early[each.bytes].append(False)
    known = {n_bytes: 2 * sum(each) > len(each) for n_bytes, each in early.items() if len(each) >= FEWEST}
    low = max((n_bytes for n_bytes, at_once in known.items() if at_once), default=0)
    above = [n_bytes for n_bytes, at_once in known.items() if not at_once and n_bytes > low and n_bytes not in in_place]
    copied = max((n_bytes for n_bytes, at_once in known.items() if at_once and n_bytes in in_place), default=0)
    return EagerLimit(low, min(above, default=None), copied)
