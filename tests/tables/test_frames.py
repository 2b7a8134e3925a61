"""Each frame library takes every table: equal values, numbers in Leadline's memory. Absent ones are skipped."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from typing import Any

import pytest

from leadline.tables import TABLES
from leadline.tables.declaration import Kind, TableDeclaration, count, flag, index, seconds, text
from leadline.tables.table import Table

from .conftest import Opened

NAMES = [table.id for table in TABLES]
MIXED = TableDeclaration(
    "mixed",
    "One row per case.",
    (
        index("index", "an index", "not known"),
        index("all_known", "an index", "not known"),
        count("count", "a count"),
        seconds("time_s", "a time", "not known"),
        text("name", "a name", "not known"),
        flag("flag", "yes or no"),
    ),
)
MIXED_ROWS = [
    (0, 7, 2**63 - 1, 0.5, "naïve ☂", True),
    (None, 7, -5, None, None, False),
    (3, 7, 0, math.inf, "", True),
    *[(row, row, row, row / 3, f"row {row}", row % 3 == 0) for row in range(20)],
]


def mixed() -> Table[Any]:
    columns = zip(*MIXED_ROWS, strict=True)
    return Table(MIXED, {each.name: list(values) for each, values in zip(MIXED.columns, columns, strict=True)})


def polars_rows(table: Table[Any]) -> list[tuple[Any, ...]]:
    pytest.importorskip("polars", reason="Polars is not installed")
    frame = table.to_polars()
    assert frame.columns == table.columns
    return frame.rows()


def arrow_rows(table: Table[Any]) -> list[tuple[Any, ...]]:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    found = table.to_arrow()
    found.validate(full=True)
    assert found.column_names == table.columns
    return [tuple(row.values()) for row in found.to_pylist()]


def duckdb_rows(table: Table[Any]) -> list[tuple[Any, ...]]:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    found = duckdb.sql("select * from table_of_ours", connection=connection(duckdb, table))
    assert found.columns == table.columns
    rows: list[tuple[Any, ...]] = found.fetchall()
    return rows


def connection(duckdb: Any, table: Table[Any]) -> Any:
    opened = duckdb.connect()
    opened.register("table_of_ours", table)
    return opened


def pandas_rows(table: Table[Any]) -> list[tuple[Any, ...]]:
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = table.to_pandas()
    assert list(frame.columns) == table.columns
    objects = frame.astype(object)
    return [tuple(row) for row in objects.where(frame.notna(), None).itertuples(index=False, name=None)]


READERS = [polars_rows, arrow_rows, duckdb_rows, pandas_rows]


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__.removesuffix("_rows"))
def test_each_library_gets_the_values(read: Callable[[Table[Any]], Any], any_run: Opened) -> None:
    for name in NAMES:
        table = getattr(any_run.recording, name)()
        assert read(table) == [tuple(row) for row in table], name


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__.removesuffix("_rows"))
def test_nulls_extremes_and_any_text(read: Callable[[Table[Any]], Any]) -> None:
    table = mixed()
    assert [tuple(row) for row in table] == MIXED_ROWS
    assert read(table) == MIXED_ROWS


def numbers_of(table: Table[Any]) -> list[str]:
    return [each.name for each in table.declaration.columns if each.kind not in (Kind.TEXT, Kind.FLAG)]


def polars_addresses(frame: Any, table: Table[Any]) -> dict[str, int]:
    pytest.importorskip("numpy", reason="numpy is not installed")
    # A column with nulls has no view in numpy; its values have.
    return {name: address(frame[name].to_physical().to_numpy(allow_copy=False)) for name in shown_by_numpy(table)}


def pandas_addresses(frame: Any, table: Table[Any]) -> dict[str, int]:
    return {name: address(frame[name].to_numpy(copy=False)) for name in shown_by_numpy(table)}


def arrow_addresses(frame: Any, table: Table[Any]) -> dict[str, int]:
    return {name: frame[name].chunk(0).buffers()[1].address for name in numbers_of(table)}


def shown_by_numpy(table: Table[Any]) -> list[str]:
    return [name for name in numbers_of(table) if None not in list(table[name])]


def address(array: Any) -> int:
    found = array.__array_interface__["data"][0]
    assert isinstance(found, int)
    return found


def address_of_column(table: Table[Any], name: str) -> int:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    return address(numpy.asarray(table[name].buffer))


@pytest.mark.parametrize("library", ["polars", "pandas", "arrow"])
def test_numbers_are_not_copied(library: str, whole: Opened) -> None:
    pytest.importorskip("pyarrow" if library == "arrow" else library)
    addresses = {"polars": polars_addresses, "pandas": pandas_addresses, "arrow": arrow_addresses}[library]
    for name in NAMES:
        table = getattr(whole.recording, name)()
        if len(table) == 0 or not shown_by_numpy(table):
            continue
        found = addresses(getattr(table, f"to_{library}")(), table)
        assert found
        assert found == {column: address_of_column(table, column) for column in found}, name


@pytest.mark.parametrize("library", ["polars", "pandas", "arrow"])
def test_a_frame_outlives_its_table(library: str, whole: Opened) -> None:
    pytest.importorskip("pyarrow" if library == "arrow" else library)
    table = whole.recording.calls()
    expected = list(table["time_s"])
    frame = getattr(table, f"to_{library}")()
    del table
    gc.collect()
    column = frame["time_s"]
    assert (column.to_pylist() if library == "arrow" else column.to_list()) == expected


def test_a_join_in_sql(whole: Opened) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    calls, sites = whole.recording.calls(), whole.recording.sites()
    query = "select sum(c.calls), min(s.routine) from calls c join sites s using (site) where s.function = 'MPI_Put'"
    assert (len(calls) > 0, len(sites) > 0) == (True, True)  # which DuckDB finds by their names
    assert duckdb.sql(query).fetchall() == [(21, "main")]


def test_units_and_meanings_go_with_the_columns(whole: Opened) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    for name in NAMES:
        table = getattr(whole.recording, name)()
        for field, column in zip(table.to_arrow().schema, table.declaration.columns, strict=True):
            metadata = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
            assert metadata == {"meaning": column.meaning, **({"unit": column.unit} if column.unit else {})}
            assert field.nullable == bool(column.null)
