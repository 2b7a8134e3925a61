"""How seldom output must be written to take little of the run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.advice.candidate import Candidate
from leadline.advice.kinds.less_output import candidates
from leadline.figures.patterns import PatternEntry
from leadline.figures.run import Site
from leadline.predict import Files
from leadline.symbols.location import Location

SITE = Site("pwrite", False, (Location("dump", "dump", "app"),), True, (7,))


def found_in(writing_s: float, calls: int, steps: int = 100, whole_s: float = 10.0) -> list[Candidate]:
    told = {"writer": "0", "bytes_written": 10**9, "files": 1}
    entry = PatternEntry("write_by_one", (SITE,), ("dump",), ("out.dat",), 4, 0, 10**9, steps, writing_s, 0.1, told)
    content: Any = SimpleNamespace(
        patterns=[entry],
        file_sites=[SimpleNamespace(site=SITE, calls=calls)],
        iterations=None,
        files=SimpleNamespace(files=[]),
        run=SimpleNamespace(duration_s=whole_s),
    )
    return candidates(content)


@pytest.mark.parametrize(
    ("writing_s", "every", "left"), [(0.3, 4, 0.01), (2.0, 25, 0.01), (4.0, 33, 0.02), (7.0, 45, 0.05)]
)
def test_a_hundredth_of_the_run_is_left_or_more_for_some_output(writing_s: float, every: int, left: float) -> None:
    """Writing 2 s of 10 in each step: in each 25th, 0.08 of 8.08; in each 24th, 0.083 of 8.083 would be more."""
    (found,) = found_in(writing_s, calls=100)
    (change,) = found.changes
    assert isinstance(change, Files)
    assert (change.factor, change.members) == (1 / every, (7,))
    assert writing_s / every <= left * (10 - writing_s + writing_s / every)
    assert writing_s / (every - 1) > left * (10 - writing_s + writing_s / (every - 1))


@pytest.mark.parametrize(
    ("writing_s", "calls", "steps"),
    [(0.2, 100, 100), (2.0, 20, 100), (2.0, 100, 0), (5.0, 20, 20)],
    ids=["a fiftieth now", "seldom", "no main loop", "hardly any output would be left"],
)
def test_nothing_where_output_is_cheap_or_seldom(writing_s: float, calls: int, steps: int) -> None:
    assert found_in(writing_s, calls, steps) == []
