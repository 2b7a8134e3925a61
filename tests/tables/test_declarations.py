"""A table is said once: what is filled, documented and typed is what is declared."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Any

import pytest

from leadline import _core
from leadline.tables import TABLES, ranks, rows
from leadline.tables.column import column
from leadline.tables.declaration import ColumnDeclaration, Kind, TableDeclaration, count, index, seconds, text
from leadline.tables.run_tables import RunTables
from leadline.tables.table import Table

ROOT = Path(__file__).resolve().parents[2]


def test_page_and_stubs_are_what_the_declarations_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    from dev.tables import outdated

    assert outdated(fix=False) == []


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.id)
def test_each_table_has_a_method_and_a_class_of_rows(table: TableDeclaration) -> None:
    assert callable(getattr(RunTables, table.id))
    assert getattr(rows, table.row_name)._fields == tuple(each.name for each in table.columns)


def test_every_category_of_calls_has_its_column() -> None:
    assert set(ranks.OF_CATEGORY) == set(_core.CATEGORIES)


TWO = TableDeclaration("two", "One row per case.", (count("calls", "calls"), text("name", "a name")))


@pytest.mark.parametrize(
    "values",
    [
        {"calls": [1]},
        {"calls": [1], "name": ["a"], "more": [1]},
        {"name": ["a"], "calls": [1]},
        {"calls": [1, 2], "name": ["a"]},
        {"calls": memoryview(array("d", [1.0])), "name": ["a"]},
        {"calls": memoryview(array("i", [1])), "name": ["a"]},
        {"calls": [1.5], "name": ["a"]},
        {"calls": [None], "name": ["a"]},
        {"calls": [1], "name": [None]},
    ],
    ids=["missing", "undeclared", "in another order", "of two lengths", "of numbers", "too narrow", "no integer",
         "null", "null text"],
)  # fmt: skip
def test_what_is_not_as_declared_is_an_error(values: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Table(TWO, values)


def test_a_name_says_its_unit() -> None:
    with pytest.raises(ValueError, match="_s"):
        ColumnDeclaration("time", Kind.NUMBER, "a time", "s")
    with pytest.raises(ValueError, match="_s"):
        ColumnDeclaration("pairs_s", Kind.INTEGER, "pairs")


def test_a_column_is_a_sequence() -> None:
    numbers = column(index("n", "a number", "not known"), [4, None, 6])
    texts = column(text("t", "a text", "not known"), ["a", None, ""])
    assert (numbers[0], numbers[-1], numbers[1], numbers[1:]) == (4, 6, None, [None, 6])
    assert (texts[0], texts[-1], texts[1], texts[::2]) == ("a", "", None, ["a", ""])
    assert None in numbers
    assert 4 in numbers
    for each in (numbers, texts):
        with pytest.raises(IndexError):
            each[3]


def test_figures_of_damaged_traces_stay_in_their_columns() -> None:
    assert list(column(count("n", "a count"), [2**64 - 1, -(2**64), 3])) == [2**63 - 1, 1 - 2**63, 3]
    assert list(column(text("t", "a text"), ["\udcff"])) == [r"\xff"]
    assert list(column(seconds("t_s", "a time", "not known"), [float("nan"), 1.0])) == [None, 1.0]
