"""Which uneven computation is a candidate, of waits given by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.advice.candidate import Candidate
from leadline.advice.kinds import balance
from leadline.figures.run import Site
from leadline.figures.waits import WaitCause, WaitEntry
from leadline.predict import Balance
from leadline.symbols import Location

ALL_S = 10.0


def site(routine: str, number: int) -> Site:
    return Site("MPI_Allreduce", False, (Location(routine, routine, "a.out", "solver.c", number),), True, (number,))


def wait(where: Site, rank: str, seconds: float, late: str, doing: str = "computation") -> WaitEntry:
    return WaitEntry("n", where, rank, int(rank), 0, seconds, 0.0, (WaitCause(late, doing, where, 1.0),))


def proposed(monkeypatch: pytest.MonkeyPatch, *waits: WaitEntry) -> list[Candidate]:
    monkeypatch.setattr(balance, "facts", lambda content: None)  # as where all ranks compute equally long
    content: Any = SimpleNamespace(waits=SimpleNamespace(entries=waits), share=lambda seconds: seconds / ALL_S)
    return balance.KIND.candidates(content)


FIRST, SECOND = site("assemble", 10), site("solve", 20)


def test_ranks_that_are_late_in_different_parts_of_an_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = proposed(monkeypatch, wait(FIRST, "1", 1.0, late="0"), wait(SECOND, "0", 0.8, late="1"))
    assert one.kind == "balance"
    assert one.change == Balance(each_iteration=False)
    assert one.sites == (FIRST, SECOND)
    assert "rank 0 is late at MPI_Allreduce at solver.c:10 (assemble)" in one.text
    assert "rank 1 is late at MPI_Allreduce at solver.c:20 (solve)" in one.text


@pytest.mark.parametrize(
    "waits",
    [
        [wait(FIRST, "1", 1.0, late="0")],  # always for the same rank
        [wait(FIRST, "1", 1.0, late="0"), wait(SECOND, "0", 0.1, late="1")],  # hardly ever for the other
        [wait(FIRST, "1", 1.0, late="0"), wait(SECOND, "0", 1.0, late="1", doing="mpi")],  # which does not compute
    ],
)
def test_other_waits_are_no_candidate(monkeypatch: pytest.MonkeyPatch, waits: list[WaitEntry]) -> None:
    assert proposed(monkeypatch, *waits) == []
