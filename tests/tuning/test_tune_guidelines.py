"""`leadline tune --guidelines`: which sizes are tuned, and what is said of repairs."""

from typing import Any

import pytest

from leadline import mpi
from leadline.tuning import tune as tuning
from leadline.tuning.choosing import Choice
from leadline.tuning.guidelines import said, split, with_repairs
from leadline.tuning.tune import Wanted, tune


def violation(operation: str, n_bytes: int, by: str = "reduce+bcast", guideline: str = "parts") -> dict[str, Any]:
    point = {"operation": operation, "bytes": n_bytes, "processes": 4}
    return {**point, "guideline": guideline, "by": by, "factor": 2.0, "low": 1.5, "high": 2.5}


def test_only_sizes_with_a_broken_guideline_are_tuned() -> None:
    assert split((8, 64, 512), [violation("allreduce", 64)]) == ((64,), (8, 512))
    assert split((8, 64, 512), []) == ((), (8, 64, 512))


def test_all_sizes_are_tuned_where_rules_are_for_any() -> None:
    assert split((8, 64, 512), [violation("gatherv", 64, "gather")]) == ((8, 64, 512), ())


def test_a_repair_is_the_rule_that_serves_the_calls() -> None:
    kept = [Choice("allreduce", 64, 4, "ring", 2.4), Choice("allreduce", 512, 4, "native")]
    found = with_repairs([violation("allreduce", 64), violation("allreduce", 512, "4096 bytes", "more data")], kept)
    assert [each["repair"] for each in found] == [{"algorithm": "ring", "ratio": 2.4}, None]
    assert [said(each) for each in found] == [
        "Guideline broken: allreduce of 64 bytes: reduce+bcast does the same in less time: 2.00× (1.5–2.5) on 4 ranks; "
        "the table has ring: 2.40×",
        "Guideline broken: allreduce of 512 bytes: 4096 bytes take less: 2.00× (1.5–2.5) on 4 ranks; no algorithm "
        "repairs it",
    ]


def test_what_keeps_the_guidelines_stays_with_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "leadline.tuning.guidelines.broken",
        lambda _measured, _say, _launcher, point, _sizes: [violation("bcast", 64)] if point == ("bcast", 4) else [],
    )
    asked: list[tuple[str, tuple[int, ...]]] = []

    def choose(_self: object, operation: str, sizes: tuple[int, ...], *_: object) -> list[dict[str, Any]]:
        asked.append((operation, tuple(sizes)))
        return []

    monkeypatch.setattr(tuning.Bench, "choose", choose)
    library = mpi.available()[0]
    lines: list[str] = []
    wanted = Wanted(library, ("bcast", "reduce"), sizes=(8, 64), ranks=(4,), refinements=0, guidelines=True)
    found = tune(wanted, lines.append)
    assert asked == [("bcast", (64,))]
    assert found.table.rules == ()
    assert found.broken == [violation("bcast", 64)]
    assert len(lines) == 1
    assert lines[0].endswith("no algorithm repairs it")
