"""One routine that sends in several loops is one proposal."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.advice.advise import _Asked
from leadline.advice.candidate import Candidate
from leadline.advice.kinds.pack import candidates
from leadline.errors import UsageError
from leadline.figures.patterns import PatternEntry
from leadline.figures.run import Site
from leadline.predict import Pack
from leadline.symbols.location import Location


def entry(routine: str, loop: int, together: int, **more: Any) -> PatternEntry:
    site = Site("MPI_Isend", False, (Location(routine, routine, "app"),), True, (loop,))
    told: dict[str, Any] = {
        "together": together,
        "loop": loop,
        "loop_routine": f"loop{loop}",
        "computes": True,
        "assumes": "trips",
    }
    told |= more
    return PatternEntry("packable_messages", (site,), (routine,), (), 2, 10, 800, 10, 1.0, 0.1, told)


def found_in(*entries: PatternEntry) -> list[Candidate]:
    content: Any = SimpleNamespace(patterns=list(entries), once=lambda make: {})
    return candidates(content)


def test_loops_in_which_one_routine_sends_are_one_change() -> None:
    one, other = found_in(entry("exchange", 1, 6), entry("gather", 2, 3), entry("exchange", 3, 7))
    assert one.title == "Pack the messages of the loop in loop1 and the loop in loop3"
    assert [change.members for change in one.changes if isinstance(change, Pack)] == [(1,), (3,)]
    assert (one.together, len(one.sites), len(one.parts)) == (7, 2, 2)
    assert (other.title, other.parts) == ("Pack the messages of the loop in loop2", ())


def test_the_messages_of_a_long_loop_may_be_packed_into_several() -> None:
    (whole,) = found_in(entry("exchange", 1, 51))
    assert [(each.segments, each.change.most) for each in whole.degrees if isinstance(each.change, Pack)] == [
        (2, 26),
        (4, 13),
        (8, 7),
    ]
    assert whole.degrees[1].title == "Pack the messages of the loop in loop1 into 4 messages"
    assert [len(found_in(entry("exchange", 1, n))[0].degrees) for n in (5, 6, 12, 24)] == [0, 1, 2, 3]
    unknown = found_in(entry("exchange", 1, 51, together_at_most=True))[0]
    assert unknown.degrees == ()
    both = found_in(entry("exchange", 1, 51), entry("exchange", 3, 51))[0]
    assert (both.degrees, both.segments) == ((), 1)


class Shares(_Asked):
    """What each degree gains is given, by its number of segments."""

    def __init__(self, shares: dict[int, float]) -> None:
        self.shares = shares

    def _share_or_error(self, candidate: Candidate) -> float | UsageError:
        share = self.shares[candidate.segments]
        return UsageError("cannot be replayed") if share < -1 else share


@pytest.mark.parametrize(
    ("shares", "best"),
    [
        ({1: 0.1, 2: 0.12, 4: 0.15, 8: 0.14}, 4),
        ({1: 0.1, 2: 0.101, 4: 0.1, 8: 0.1}, 1),  # no more than replays differ by
        ({1: -9, 2: -0.02, 4: -0.01, 8: -9}, 4),
        ({1: -9, 2: -9, 4: -9, 8: -9}, 1),
    ],
)
def test_as_many_messages_are_left_as_gain_most(shares: dict[int, float], best: int) -> None:
    (whole,) = found_in(entry("exchange", 1, 51))
    (chosen,) = Shares(shares).as_far_as_best([whole])
    assert chosen.segments == best
