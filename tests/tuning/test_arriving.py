"""How ranks arrived in a recorded run: patterns of its calls, from rows of the table `timeline`."""

from types import SimpleNamespace
from typing import Any

import pytest

import leadline
from leadline.errors import UsageError
from leadline.tuning.arriving import MOST_PATTERNS, MOST_US, chosen, of_run, seen, spread


def calls(function: str, n_bytes: list[int], begin_us: list[float], first_row: int = 0, ranks: Any = None) -> list[Any]:
    """The rows of one collective, each of which names the next rank's."""
    n = len(begin_us)
    return [
        SimpleNamespace(
            function=function,
            rank=i if ranks is None else ranks[i],
            bytes=n_bytes[i],
            begin_s=1 + begin_us[i] * 1e-6,
            partner_row=first_row + (i + 1) % n,
        )
        for i in range(n)
    ]


def test_a_pattern_is_how_much_later_each_rank_came_than_the_first() -> None:
    rows = calls("MPI_Bcast", [0, 64, 0], [10, 30, 20])
    rows += calls("MPI_Alltoall", [48, 48, 48], [7, 5, 5], first_row=3)
    found = seen(rows)
    assert set(found) == {("bcast", 64, 3), ("alltoall", 16, 3)}
    assert found["bcast", 64, 3] == [pytest.approx((0, 20, 10))]
    assert found["alltoall", 16, 3] == [pytest.approx((2, 0, 0), abs=1e-6)]


def test_ranks_are_in_order_and_very_late_ones_count_as_late() -> None:
    rows = calls("MPI_Allreduce", [8, 8], [9000, 0], ranks=[3, 1])
    assert seen(rows) == {("allreduce", 8, 2): [(0.0, MOST_US)]}


def test_calls_of_one_rank_or_without_the_others_have_no_pattern() -> None:
    alone = calls("MPI_Allreduce", [8], [0])
    broken = calls("MPI_Allreduce", [8, 8], [0, 5], first_row=1)
    broken[1].partner_row = None
    sends = [SimpleNamespace(function="MPI_Send", rank=0, bytes=8, begin_s=1.0, partner_row=None)]
    assert seen([*alone, *broken, *sends]) == {}


def test_patterns_are_taken_from_all_of_the_run() -> None:
    assert spread([(0.0,), (1.0,)]) == [(0.0,), (1.0,)]
    found = spread([(float(i),) for i in range(100 * MOST_PATTERNS)])
    assert found == [(100.0 * i,) for i in range(MOST_PATTERNS)]


def test_without_calls_of_a_size_those_of_any_size_are_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    rows = calls("MPI_Bcast", [64, 0], [0, 30])
    monkeypatch.setattr(leadline, "open", lambda _: SimpleNamespace(timeline=lambda _: rows), raising=False)
    wanted = [("bcast", 64, 2), ("bcast", 512, 2), ("bcast", 64, 4), ("reduce", 64, 2)]
    found = of_run(tmp_path, wanted)
    assert {point: [list(each) for each in some] for point, some in found.items()} == {
        ("bcast", 64, 2): [pytest.approx([0, 30])],
        ("bcast", 512, 2): [pytest.approx([0, 30])],
    }
    lines: list[str] = []
    assert chosen(None, tmp_path, wanted, lines.append) == found
    assert lines == [f"their delays in {tmp_path} are unknown, so ranks arrive together: bcast, reduce"]
    assert chosen("together", tmp_path, wanted, lines.append) == {}
    with pytest.raises(UsageError, match="has no times of such calls on as many ranks"):
        chosen(str(tmp_path), None, [("scan", 8, 2)], lines.append)
