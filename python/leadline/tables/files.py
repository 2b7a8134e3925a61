"""Tables as files: CSV with nothing but Python, Parquet through a library that is there."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO

from leadline.errors import MissingPrerequisite
from leadline.text.visible import cell


def write_csv(table: Any, file: str | Path | TextIO) -> None:
    """A line of the columns' names, then a line per row, in UTF-8 with "\\n" at their ends.

    Null is an empty field, a flag is true or false, and numbers have as many digits as it takes to read the same ones.
    Raises OSError.
    """
    if not isinstance(file, str | Path):
        return _write(table.columns, zip(*(table[name] for name in table.columns), strict=True), file)
    with open(file, "w", encoding="utf-8", newline="") as out:
        return write_csv(table, out)


def _write(names: Sequence[str], rows: Iterable[Sequence[Any]], out: TextIO) -> None:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_field(value) for value in row] for row in rows)


def _field(value: Any) -> Any:
    if isinstance(value, str):
        return cell(value)
    return str(value).lower() if isinstance(value, bool) else value


def write_parquet(table: Any, file: str | Path) -> None:
    """With pyarrow, which keeps each column's unit and meaning as metadata, or else with Polars.

    Raises MissingPrerequisite without either, and OSError.
    """
    try:
        from pyarrow import parquet
    except ImportError:
        pass
    else:
        with open(file, "wb") as out:  # pyarrow takes no path that is not text
            parquet.write_table(table.to_arrow(), out)
        return
    try:
        frame = table.to_polars()
    except MissingPrerequisite as error:
        raise MissingPrerequisite(
            "Parquet output needs pyarrow or Polars",
            hint="pip install 'leadline[frames]', or use CSV",
        ) from error
    with open(file, "wb") as out:
        frame.write_parquet(out)
