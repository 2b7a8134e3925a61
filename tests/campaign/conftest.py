"""Campaigns over programs that need no MPI, in this process, and over small MPI programs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from leadline.campaign.journal import Journal
from leadline.campaign.plan import Cell, Input, Plan, Program, Recording, Setting

Times = Callable[[random.Random, Cell, int], float | None]


def a_plan(
    *,
    libraries: Sequence[str] = ("mpich", "openmpi"),
    ranks: Sequence[int] = (2,),
    repeats: int = 5,
    programs: Sequence[str] = ("app",),
    **more: Any,
) -> Plan:
    made = tuple(Program(name, ("./app",), recording=Recording.NO, time="x (.*)", timeout_s=60.0) for name in programs)
    return Plan("a", Path("a.toml"), made, tuple(libraries), tuple(ranks), repeats=repeats, **more)


def rows_of(journal: Journal, plan: Plan, times: Times, *, seed: int = 1) -> list[Cell]:
    """Writes a run of each cell and repeat that took `times`; None: it failed. Returns the cells."""
    chance = random.Random(seed)
    cells = plan.cells(lambda name: name)
    for repeat in range(plan.repeats):
        for cell in cells:
            time_s = times(chance, cell, repeat)
            journal.add(
                {
                    "cell": cell.id,
                    "names": cell.names,
                    "repeat": repeat,
                    "recorded": False,
                    "ok": time_s is not None,
                    "reason": "" if time_s is not None else "exit code 3",
                    "time_s": time_s,
                    "wall_s": time_s or 1.0,
                }
            )
    return cells


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Journal:
    """One whose lines are not forced to the disk: tests write thousands."""
    monkeypatch.setattr("leadline.campaign.journal.os.fsync", lambda _: None)
    return Journal(tmp_path)


__all__ = ["Input", "Setting", "a_plan", "journal", "rows_of"]
