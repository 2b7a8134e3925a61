"""Every raw sample of a measurement as a table, and as a file: CSV, or Parquet by whichever frame library is
installed."""

from __future__ import annotations

import csv
import importlib.util
from pathlib import Path
from typing import Any

from leadline.bench.rows import Measurement
from leadline.errors import MissingPrerequisite, UsageError
from leadline.tables.declaration import ColumnDeclaration, Kind, TableDeclaration, count, flag, n_bytes, text
from leadline.tables.table import Table
from leadline.text.visible import cell

SAMPLES = TableDeclaration(
    "samples",
    "One row per sample: one timing of one algorithm.",
    (
        text("operation", "what was measured"),
        text("algorithm", "algorithm, with its parameters"),
        n_bytes("bytes", "message size in bytes"),
        count("processes", "ranks"),
        text("library", "MPI library"),
        count("launch", "index of the launch, from 0"),
        count("round", "index of the round within the launch, from 0"),
        ColumnDeclaration("time_us", Kind.NUMBER, "time on the slowest rank", "µs", "some rank started late"),
        flag("late", "some rank started late or was preempted"),
        flag("correct", "correct result on every rank"),
    ),
)

# The libraries that write Parquet; the first that is installed does.
WRITERS = ("polars", "pyarrow")


def table_of(found: Measurement) -> Table[Any]:
    samples = found.samples()
    return Table(SAMPLES, {each.name: [sample[each.name] for sample in samples] for each in SAMPLES.columns})


def parquet_writer() -> str:
    """The library that writes Parquet. Raises MissingPrerequisite where there is none."""
    for name in WRITERS:
        if importlib.util.find_spec(name) is not None:
            return name
    raise MissingPrerequisite(
        "--parquet needs Polars or pyarrow",
        hint="pip install 'leadline[frames]', or use --csv FILE",
    )


def write_parquet(found: Measurement, path: Path) -> None:
    """Raises UsageError where the file cannot be written, MissingPrerequisite where no library can."""
    writer = parquet_writer()
    table = table_of(found)
    try:
        if writer == "polars":
            table.to_polars().write_parquet(path)
        else:
            from pyarrow import parquet

            parquet.write_table(table.to_arrow(), path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error}") from error


def write_csv(found: Measurement, path: Path) -> None:
    """With a line of names; null is empty. Raises UsageError where the file cannot be written."""
    table = table_of(found)
    try:
        with path.open("w", newline="") as out:
            rows = csv.writer(out)
            rows.writerow(table.columns)
            rows.writerows([cell(value) if isinstance(value, str) else value for value in row] for row in table)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error}") from error
