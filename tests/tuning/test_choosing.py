"""Choices from made-up rows: nothing here is measured."""

from typing import Any

import pytest

from leadline.runs.samples import Samples
from leadline.tuning.choosing import (
    Choice,
    choices,
    choose,
    dropped,
    gaps,
    middle,
    not_slower,
    parse_name,
    refine,
    rules,
)
from leadline.tuning.protocol import best, judge


def row(algorithm: str, size: int, lows: list[float | None], ratio: float = 1.5, **more: Any) -> dict[str, Any]:
    known = [low for low in lows if low is not None]
    return {
        "operation": "bcast",
        "algorithm": algorithm,
        "bytes": size,
        "processes": 4,
        "correct": True,
        "ratio_to_native": {"median": ratio, "low": min(known) if known else None, "high": ratio + 0.1},
        "ratio_by_launch": [{"launch": i, "median": ratio, "low": low, "high": 2.0} for i, low in enumerate(lows)],
        **more,
    }


def native(size: int) -> dict[str, Any]:
    return row("native", size, [1.0, 1.0, 1.0], 1.0)


def test_better_in_every_launch_is_chosen() -> None:
    found = choose([native(8), row("chain", 8, [1.2, 1.3, 1.25]), row("linear", 8, [1.1, 1.1, 1.1])], 3)
    assert (found.algorithm, found.low, found.launches) == ("chain", 1.2, 3)


@pytest.mark.parametrize(
    "other",
    [
        row("chain", 8, [1.2, 0.99, 1.25]),
        row("chain", 8, [1.2, 1.0, 1.25]),
        row("chain", 8, [1.2, None, 1.25]),
        row("chain", 8, [1.2, 1.3]),
        row("chain", 8, [1.2, 1.3, 1.2], correct=False),
        row("chain", 8, [1.2, 1.3, 1.2], correct=None),
        {**row("chain", 8, [1.2, 1.3, 1.2]), "ratio_to_native": None},
        row("chain", 8, [1.2, 1.3, 1.2], median_us=0.4),  # 0.2 of 0.6 microseconds: the shim takes as much
        {**row("chain", 8, [1.2, 1.3, 1.2]), "ratio_to_native": {"median": 1.2, "low": 0.9, "high": 1.4}},
    ],
)
def test_native_stays_unless_better_in_every_launch(other: dict[str, Any]) -> None:
    assert choose([native(8), other], 3).is_native


def test_of_equals_neighbours_take_the_same() -> None:
    def point(size: int, **ratios: float) -> list[dict[str, Any]]:
        return [native(size), *(row(name, size, [ratio - 0.1] * 3, ratio) for name, ratio in ratios.items())]

    rows = [*point(8), *point(64, chain=1.60, linear=1.61), *point(512, chain=1.70, linear=1.72, direct=1.71)]
    rows += [*point(4096, chain=1.31, direct=1.30), *point(65536, direct=2.0, chain=1.5)]
    found = choices(rows, 3)
    assert [choice.algorithm for choice in found] == ["native", "chain", "chain", "chain", "direct"]
    assert [choice.ratio for choice in found] == [1.0, 1.60, 1.70, 1.31, 2.0]


def test_boundaries_are_halved_until_they_are_close() -> None:
    asked = []

    def truth(size: int) -> str:
        return "chain" if size >= 30000 else "native"

    def measure(operation: str, size: int, processes: int, names: list[str]) -> Choice:
        asked.append((size, names))
        return Choice(operation, size, processes, truth(size), 1.5, 1.4, 1.6, 3)

    start = [Choice("bcast", size, 4, truth(size)) for size in (8, 1024, 1048576)]
    found = refine(start, measure, 1.5, 20)
    assert not gaps(found, 1.5)
    assert all(names == ["chain"] for _, names in asked)
    below = max(choice.n_bytes for choice in found if choice.is_native)
    above = min(choice.n_bytes for choice in found if not choice.is_native)
    assert below < 30000 <= above <= 1.5 * below
    assert len(refine(start, measure, 1.5, 2)) == 5


def test_the_middle_lies_between() -> None:
    for one in (0, 1, 8, 64, 1000):
        for other in (one + 9, one + 20, 4 * one + 16, 1 << 20):
            assert one < middle(one, other) < other


def test_a_rule_for_any_size_needs_one_choice_at_all_sizes() -> None:
    """Of an operation whose sizes not all ranks know."""
    linear = [Choice("alltoallv", size, 2, "linear", 1.5, 1.4, 1.6, 5) for size in (8, 64)]
    native = [Choice("alltoallv", size, 4, "linear" if size == 8 else "native", 1.5, 1.4, 1.6, 5) for size in (8, 4096)]
    assert [(r.processes, r.n_bytes, r.name) for r in rules(linear + native)] == [((2, 2), (0, 2**63 - 1), "linear")]
    assert gaps(native, 1.5) == []


def test_rules_reach_from_the_first_to_the_last_size_of_a_run() -> None:
    found = rules(
        [
            Choice("bcast", 8, 4, "native"),
            Choice("bcast", 64, 4, "chain:segment=8192", 1.5, 1.4, 1.6, 5),
            Choice("bcast", 512, 4, "chain:segment=8192", 1.3, 1.2, 1.4, 5),
            Choice("bcast", 4096, 4, "native"),
            Choice("bcast", 8192, 4, "chain:segment=8192", 2, 1.9, 2.1, 5),
            Choice("bcast", 8192, 2, "linear", 2, 1.9, 2.1, 5),
        ]
    )
    assert [(r.processes, r.n_bytes, r.name) for r in found] == [
        ((2, 2), (8192, 8192), "linear"),
        ((4, 4), (64, 512), "chain:segment=8192"),
        ((4, 4), (8192, 8192), "chain:segment=8192"),
    ]
    assert found[1].evidence["low"] == 1.2


def test_what_does_not_hold_in_fresh_launches_is_dropped() -> None:
    first = choices([native(8), row("chain", 8, [1.2] * 3), native(64), row("chain", 64, [1.2] * 3)], 3)
    again = [native(8), row("chain", 8, [1.1] * 3), native(64), row("chain", 64, [1.1, 0.9, 1.1])]
    kept, lost = dropped(first, again, 3)
    assert [(choice.n_bytes, choice.algorithm) for choice in kept] == [(8, "chain"), (64, "native")]
    assert (kept[0].low, kept[0].launches) == (1.1, 6)
    assert [choice.n_bytes for choice in lost] == [64]


def test_slower_where_buffers_are_written_is_dropped() -> None:
    def point(size: int, high: float | None, **more: Any) -> dict[str, Any]:
        return {**row("chain", size, [1.0], 1.0, **more), "ratio_to_native": {"median": 0.95, "low": 0.8, "high": high}}

    found = choices([r for size in (8, 64, 512, 4096) for r in (native(size), row("chain", size, [1.2] * 3))], 3)
    written = [point(8, 1.02), point(64, 0.99), point(512, 1.02, correct=False)]
    kept, lost = not_slower(found, "written", written)
    assert [choice.algorithm for choice in kept] == ["chain", "native", "native", "native"]
    assert [choice.n_bytes for choice in lost] == [64, 512, 4096]
    kept, lost = not_slower(kept, "in_a_row", [point(8, 1.0)])
    assert not lost
    (rule,) = rules(kept)
    assert (rule.algorithm, rule.evidence["written_ratio"], rule.evidence["in_a_row_ratio"]) == ("chain", 0.95, 0.95)


def test_two_tunings_of_the_same_rows_agree() -> None:
    rows = [
        r for size in (8, 64, 512) for r in (native(size), row("chain", size, [1.2] * 3), row("ring", size, [1.3] * 3))
    ]
    assert rules(choices(rows, 3)) == rules(choices(list(reversed(rows)), 3))


def test_names_carry_parameters() -> None:
    assert parse_name("chain:segment=65536") == ("chain", 65536, 0)
    assert parse_name("knomial:segment=8192:radix=4") == ("knomial", 8192, 4)
    assert parse_name("two_level:over=ring") == ("two_level:over=ring", 0, 0)


def test_a_protocol_is_best_only_where_it_was_in_every_pair() -> None:
    base = [2.0, 2.1, 2.0, 2.2, 2.0]
    times = Samples()
    for name, seconds in {
        "default": base,
        "cm": [1.0, 1.1, 1.0, 1.1, 1.0],
        "ob1": [0.5, 0.5, 0.5, 0.5, 2.1],
        "eager": [0.1, 0.1, None, 0.1, 0.1],
    }.items():
        for number, value in enumerate(seconds):
            times.add(name, number, value)
    itself, always, mostly, failed = (judge(name, times) for name in ("default", "cm", "ob1", "eager"))
    assert best([itself, always, mostly, failed]) == "cm"
    assert best([itself, mostly, failed]) == "default"
