"""A table: its columns, which any frame library takes without a copy, and its rows as named tuples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TextIO, TypeVar

from leadline.errors import MissingPrerequisite
from leadline.tables.column import Column, NumberColumn, Values, column
from leadline.tables.declaration import TableDeclaration

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Row = TypeVar("Row")


class Table(Generic[Row]):
    """len(table), table["time_s"], and `for row in table: row.time_s`.

    Any library that takes the Arrow PyCapsule interface takes a table: polars.DataFrame(table), pyarrow.table(table),
    pandas.DataFrame.from_arrow(table), duckdb.sql("from table").
    """

    def __init__(self, declaration: TableDeclaration, values: Mapping[str, Values]) -> None:
        """Raises TypeError if the values do not match the declared columns."""
        if list(values) != [each.name for each in declaration.columns]:
            raise TypeError(f"table {declaration.id}: unexpected columns {', '.join(values)}")
        self.declaration = declaration
        self._columns: dict[str, Column] = {each.name: column(each, values[each.name]) for each in declaration.columns}
        if len({len(each) for each in self._columns.values()}) > 1:
            raise TypeError(f"table {declaration.id}: columns differ in length")

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def __getitem__(self, name: str) -> Column:
        """A sequence of values, None for null. Raises KeyError if there is no such column."""
        return self._columns[name]

    def __iter__(self) -> Iterator[Row]:
        make: Any = self.declaration.row
        return map(make, *self._columns.values())

    def __repr__(self) -> str:
        return f"<table {self.declaration.id}: {len(self)} rows of {', '.join(self.columns)}>"

    def to_polars(self) -> polars.DataFrame:
        """Numbers are shared with the table. Raises MissingPrerequisite without Polars."""
        try:
            import polars
        except ImportError as error:
            raise MissingPrerequisite("Polars is not installed", hint="pip install 'leadline[frames]'") from error
        return polars.DataFrame(self)

    def to_arrow(self) -> pyarrow.Table:
        """Everything but flags is shared with the table. Raises MissingPrerequisite without pyarrow."""
        try:
            import pyarrow
        except ImportError as error:
            raise MissingPrerequisite("pyarrow is not installed", hint="pip install pyarrow") from error
        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Numbers and flags are shared with the table. Raises MissingPrerequisite without pandas.

        Integers with nulls are of the type Int32 or Int64; texts are of pandas' type for text.
        """
        try:
            import pandas
        except ImportError as error:
            raise MissingPrerequisite("pandas is not installed", hint="pip install pandas") from error
        columns = {name: _as_pandas(pandas, each) for name, each in self._columns.items()}
        return pandas.DataFrame(columns, copy=False)

    def to_csv(self, file: str | Path | TextIO) -> None:
        """Writes a line of names and a line per row, to a path or an open text file. Needs no other library.

        Null is an empty field, a flag is true or false. Raises OSError.
        """
        from leadline.tables.files import write_csv

        write_csv(self, file)

    def to_parquet(self, file: str | Path) -> None:
        """Writes a Parquet file with pyarrow or Polars. Raises MissingPrerequisite without either, and OSError."""
        from leadline.tables.files import write_parquet

        write_parquet(self, file)

    def __arrow_c_schema__(self) -> object:
        from leadline.tables import arrow

        return arrow.schema(self.declaration).__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        from leadline.tables import arrow

        return arrow.stream(self.declaration, self._columns, len(self)).__arrow_c_stream__(requested_schema)


def _as_pandas(pandas: Any, of: Column) -> Any:
    import numpy

    if not isinstance(of, NumberColumn):
        return list(of)
    values = numpy.asarray(of.buffer)
    if of.declaration.null and values.dtype.kind == "i":
        unknown = values == -1
        if unknown.any():
            return pandas.arrays.IntegerArray(values, unknown)
    return values
