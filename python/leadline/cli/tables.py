"""Writes one table of a recorded run, for leadline report --table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from leadline.cli.reporting import say_owner, working
from leadline.cli.saying import say, shown
from leadline.errors import UsageError
from leadline.text.suggestions import available


def export(path: Path, name: str | None, step: str | None, *, csv: str | None, parquet: str | None) -> int:
    """To the files that are named, else as CSV to standard output. Raises UsageError, MissingPrerequisite."""
    if name is None:
        raise UsageError(
            f"{'--csv' if csv is not None else '--parquet'} needs --table NAME", hint=f"one of {', '.join(names())}"
        )
    import leadline

    with working("reading the run"):
        say_owner(path)
        table = _table(leadline.open(path, step=step), name)
    if csv is None and parquet is None:
        table.to_csv(sys.stdout)
        return 0
    for file, write in ((csv, table.to_csv), (parquet, table.to_parquet)):
        if file is None:
            continue
        try:
            write(file)
        except OSError as error:
            why = error.strerror or str(error)
            raise UsageError(
                f"cannot write {file}: {why}", hint="name another file, or none: it is then printed"
            ) from error
        say(f"wrote table {name}, {len(table)} rows, to {shown(Path(file))}")
    return 0


def _table(recording: Any, name: str) -> Any:
    """name: of a table, or timeline:ITERATION."""
    from leadline.tables import TABLES

    table, _, which = name.partition(":")
    if table not in {each.id for each in TABLES} or (which and table != "timeline"):
        raise UsageError(f"--table {name}: unknown table", hint=available(table, names()))
    if not which:
        return getattr(recording, table)()
    if not which.isdecimal() and which not in ("typical", "slowest", "all"):
        raise UsageError(f"--table {name}: after timeline: expected a number, typical, slowest or all")
    return recording.timeline(int(which) if which.isdecimal() else which)


def names() -> list[str]:
    from leadline.tables import TABLES

    return [each.id for each in TABLES]
