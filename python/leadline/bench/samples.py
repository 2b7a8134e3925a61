"""Every raw sample of a measurement as a table, and as a file: Parquet, by whichever frame library is here, or CSV."""

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
    "One row per sample: a candidate's time in a round.",
    (
        text("operation", "what was measured"),
        text("algorithm", "the candidate, with its parameters"),
        n_bytes("bytes", "size of the operation"),
        count("processes", "ranks"),
        text("library", "MPI library"),
        count("launch", "launch of the program that measures, counted from 0"),
        count("round", "round within the launch, counted from 0"),
        ColumnDeclaration("time_us", Kind.NUMBER, "time of the slowest rank", "µs", "a rank was late"),
        flag("late", "a rank was late or preempted"),
        flag("correct", "every rank had the right result"),
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
        "--parquet needs Polars or pyarrow, and neither is installed",
        hint="pip install 'leadline[frames]'; or --csv FILE, which needs nothing",
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
