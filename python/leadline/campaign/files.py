"""The results of a campaign as files: tables of runs and cells, what the runs ran on, and the whole as JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from leadline import own_files
from leadline.campaign.execution import RUNS, run_name
from leadline.errors import MissingPrerequisite
from leadline.json_text import parsed
from leadline.tables.declaration import ColumnDeclaration, TableDeclaration, count, flag, number, seconds, text
from leadline.tables.table import Table
from leadline.text.visible import strings_in, visible

RESULTS = "results.json"
COPY = "campaign.toml"
ENVIRONMENTS = "environments.toml"

DIMENSIONS: tuple[ColumnDeclaration, ...] = (
    text("program", "program"),
    text("part", "part of it that is timed; empty: the whole"),
    text("input", "input"),
    count("ranks", "number of ranks"),
    text("library", "MPI library"),
    text("setting", "setting"),
)
RUNS_TABLE = TableDeclaration(
    "runs",
    "One row per run.",
    (
        *DIMENSIONS,
        count("repeat", "repeat, from 0"),
        flag("recorded", "recorded by Leadline"),
        seconds("time_s", "time of the run, or the time in its output", "the run failed"),
        flag("outlier", "far from the other repeats; kept"),
        flag("counts", "one of those that the cell's median is of"),
        text("reason", "why it failed; empty if it did not"),
        number("load", "processes that wanted a core before it, mean over a minute", "unknown"),
        number("stolen", "share of the time that the hypervisor gave to others", "unknown"),
        text("environment", "its name in environments.toml; empty if unknown"),
        text("directory", "of the run, relative to the campaign's; empty if it was not recorded"),
    ),
)
CELLS_TABLE = TableDeclaration(
    "cells",
    "One row per cell: a configuration and its repeats.",
    (
        *DIMENSIONS,
        count("n", "repeats that its median is of"),
        count("failed", "runs that failed"),
        count("outliers", "repeats far from the others"),
        seconds("median_s", "median", "no repeat succeeded"),
        seconds("low_s", "lower end of the median's 95 % interval", "too few repeats"),
        seconds("high_s", "upper end", "too few repeats"),
        number("to_best", "its time relative to the fastest of the comparison", "the fastest, or not compared"),
        number("to_best_low", "lower end of the ratio's 95 % interval", "as to_best"),
        number("to_best_high", "upper end", "as to_best"),
        flag("differs", "the difference from the fastest is proven"),
        text("group", "letters of the groups that cannot be told apart; empty if not compared"),
    ),
)


def run_directory_of(cell: dict[str, Any], run: dict[str, Any]) -> str:
    return f"{RUNS}/{run_name(cell['id'], run['repeat'], True)}" if run["recorded"] else ""


def tables(content: dict[str, Any]) -> dict[str, Table[Any]]:
    runs = [
        {**cell, **run, "directory": run_directory_of(cell, run)} for cell in content["cells"] for run in cell["runs"]
    ]
    cells = []
    for cell in content["cells"]:
        ratio = cell["to_best"] or {}
        more = {f"{name}_s": cell[name] for name in ("median", "low", "high")}
        more |= {"to_best": ratio.get("value"), "to_best_low": ratio.get("low"), "to_best_high": ratio.get("high")}
        cells.append({**cell, **more, "differs": bool(ratio.get("claimed"))})
    return {
        "runs": _table(RUNS_TABLE, runs),
        "cells": _table(CELLS_TABLE, cells),
    }


def _table(declaration: TableDeclaration, rows: list[dict[str, Any]]) -> Table[Any]:
    texts = {column.name for column in declaration.columns if column.kind.value == "text"}
    return Table(
        declaration,
        {
            column.name: [
                ("" if row[column.name] is None else row[column.name]) if column.name in texts else row[column.name]
                for row in rows
            ]
            for column in declaration.columns
        },
    )


def write(directory: Path, content: dict[str, Any], facts: dict[str, dict[str, str | None]], stamp: Any) -> list[str]:
    """The names of the files. Parquet where pyarrow or Polars is installed, else CSV. Raises OSError."""
    written = []
    for name, table in tables(content).items():
        file = directory / f"{name}.parquet"
        new = directory / f".{name}.new"
        try:
            table.to_parquet(new)
        except MissingPrerequisite:
            file = file.with_suffix(".csv")
            table.to_csv(new)
        os.replace(new, file)
        written.append(file.name)
    with own_files.replacing(directory / ENVIRONMENTS) as out:
        out.write(environments(facts))
    with own_files.replacing(directory / RESULTS) as out:
        json.dump({"stamp": stamp, **strings_in(content, visible)}, out)
    return [*written, ENVIRONMENTS]


def environments(facts: dict[str, dict[str, str | None]]) -> str:
    """As TOML: a table for each, without what is unknown."""
    lines = ["# What the runs of this campaign ran on; runs name these tables.\n"]
    for name, values in facts.items():
        lines.append(f"\n[{_quoted(name)}]\n")
        lines += [f"{_quoted(title)} = {_quoted(value)}\n" for title, value in values.items() if value is not None]
    return "".join(lines)


def _quoted(word: str) -> str:
    """JSON's strings are TOML's, except for DEL and characters beyond 16 bits."""
    return json.dumps(visible(word), ensure_ascii=False).replace("\x7f", "\\u007f")


def kept_results(directory: Path, stamp: Any) -> dict[str, Any] | None:
    """Those that were written for just these runs; None if there are none."""
    try:
        found = parsed(own_files.read(directory / RESULTS, 1 << 30))
    except (OSError, ValueError):
        return None
    if not isinstance(found, dict) or found.pop("stamp", None) != stamp:
        return None
    return found
