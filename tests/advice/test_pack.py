"""One routine that sends in several loops is one proposal."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.advice.candidate import Candidate
from leadline.advice.kinds.pack import candidates
from leadline.figures.patterns import PatternEntry
from leadline.figures.run import Site
from leadline.predict import Pack
from leadline.symbols.location import Location


def entry(routine: str, loop: int, together: int) -> PatternEntry:
    site = Site("MPI_Isend", False, (Location(routine, routine, "app"),), True, (loop,))
    told = {"together": together, "loop": loop, "loop_routine": f"loop{loop}", "computes": True, "assumes": "trips"}
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
