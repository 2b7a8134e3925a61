"""How seldom output must be written to take a twentieth of the run."""

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


@pytest.mark.parametrize(("writing_s", "every"), [(0.6, 2), (2.0, 5), (5.0, 19)])
def test_a_twentieth_of_the_run_is_left(writing_s: float, every: int) -> None:
    """Writing 2 s of 10 in each step: in each fifth, 0.4 of 8.4; in each fourth, 0.5 of 8.5 would be more."""
    (found,) = found_in(writing_s, calls=100)
    (change,) = found.changes
    assert isinstance(change, Files)
    assert (change.factor, change.members) == (1 / every, (7,))
    assert writing_s / every <= 0.05 * (10 - writing_s + writing_s / every)
    assert writing_s / (every - 1) > 0.05 * (10 - writing_s + writing_s / (every - 1))


@pytest.mark.parametrize(
    ("writing_s", "calls", "steps"),
    [(0.5, 100, 100), (2.0, 20, 100), (2.0, 100, 0), (5.0, 20, 20)],
    ids=["a twentieth now", "seldom", "no main loop", "hardly any output would be left"],
)
def test_nothing_where_output_is_cheap_or_seldom(writing_s: float, calls: int, steps: int) -> None:
    assert found_in(writing_s, calls, steps) == []
