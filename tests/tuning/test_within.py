"""A tuning in a limited time: its stages share it, and what was not measured to the end is named."""

from types import SimpleNamespace
from typing import Any

import pytest

from leadline.bench.launching import NO_TIME
from leadline.bench.rows import Measurement
from leadline.errors import UsageError
from leadline.text.durations import seconds_of
from leadline.tuning import tune
from leadline.tuning.within import CHOOSING, CONFIRMING, MARGIN, Budget, parts_of, without_time


def test_durations() -> None:
    assert [seconds_of(text) for text in ("90s", "10m", "1h30m", "1.5min")] == [90, 600, 5400, 90]
    with pytest.raises(UsageError, match="--for ten"):
        seconds_of("ten")


def test_stages_share_what_those_before_them_left() -> None:
    now = 0.0
    budget = Budget(100 / MARGIN, 10, lambda: now)
    assert budget.take(5) == pytest.approx(50)
    now = 20  # it took less
    assert budget.take(2) == pytest.approx(80 * 2 / 5)
    now = 110
    assert 0 < budget.take(3) < 0.01  # 0 would be no limit


def row(algorithm: str, ratios: list[float], problem: str | None = None, n_bytes: int = 8) -> dict[str, Any]:
    each = [{"launch": i, "median": low + 0.1, "low": low, "high": low + 0.2} for i, low in enumerate(ratios)]
    key = {"operation": "bcast", "bytes": n_bytes, "processes": 2}
    return {**key, "algorithm": algorithm, "problem": problem, "ratio_by_launch": each}


def test_a_point_without_time_is_one_that_was_not_decided() -> None:
    native = row("native", [])
    assert without_time([native, row("chain", [1.1, 1.2])], 2) == []  # it won
    assert without_time([native, row("chain", [1.1, 0.9])], 3) == []  # it lost
    assert without_time([native, row("chain", [1.1])], 2) == [("bcast", 8, 2)]  # it might have won
    assert without_time([native, row("chain", [], NO_TIME, 64)], 2) == [("bcast", 64, 2)]


def test_a_limited_tuning_measures_all_operations_of_as_many_ranks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, list[str], float]] = []

    def measured(requests: Any, *, ranks: int, limit_s: float, **_: Any) -> list[Measurement]:
        asked.append((ranks, [request.operation for request in requests], limit_s))
        rows = [[row("native", [], NO_TIME, size) for size in request.sizes] for request in requests]
        found = [SimpleNamespace(rows=each, launches=[], failed="", wrong=[], interruption=Quiet()) for each in rows]
        return found  # type: ignore[return-value]

    monkeypatch.setattr(tune, "measure_together", measured)
    said: list[str] = []
    library: Any = SimpleNamespace(name="mpich", version="")
    wanted = tune.Wanted(library, ("bcast", "allreduce"), sizes=(8, 64), ranks=(2, 4), limit_s=1000)
    found = tune.tune(wanted, said.append)
    assert [(ranks, names) for ranks, names, _ in asked] == [(2, ["bcast", "allreduce"]), (4, ["bcast", "allreduce"])]
    assert asked[0][2] == pytest.approx(950 * CHOOSING / parts_of(2), rel=0.01)
    assert found.table.rules == ()
    assert found.table.evidence["limit_s"] == 1000
    assert found.without_time == [("bcast", 8, 2), ("bcast", 64, 2)]  # as the rows above say
    assert said[-1].startswith("time limit: 2 of 8 points had no time, and stay with the library: bcast on 2 ranks")


class Quiet:
    signal = 0

    def end_if_any(self) -> None:
        pass


def test_the_parts_are_of_all_stages() -> None:
    assert parts_of(1) == CHOOSING + 2 * 1.5 + 3 * CONFIRMING
