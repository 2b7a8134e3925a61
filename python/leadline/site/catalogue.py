"""The accounts of runs in one file of SQLite's, which outlives the runs: `runs` and `costs` are its tables.

Why SQLite: docs/decisions/0020-site-catalogue.md.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path

from leadline import owners
from leadline.errors import UsageError
from leadline.site.account import Account, Cost
from leadline.site.discovery import Place

VERSION = 1
WAIT_S = 60.0  # for another command that writes
COLUMNS = tuple(field.name for field in fields(Account) if field.name != "costs")
RUNS = f"""
create table runs (
  path text primary key,
  stamp integer not null,
  user text not null,
  trace_bytes integer not null,
  {", ".join(f"{name} not null" for name in COLUMNS)}
)"""
COSTS = "create table costs (path text not null, kind text not null, text text not null, lost_s real not null)"


@dataclass(frozen=True)
class Entry:
    """A run of the catalogue; it may have been removed since."""

    path: str
    user: str
    trace_bytes: int
    account: Account


class Catalogue:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def stamps(self) -> dict[str, int]:
        """Of each run, when it was written last as it was read."""
        return dict(self._connection.execute("select path, stamp from runs"))

    def put(self, place: Place, user: str, account: Account) -> None:
        """In place of what is known of that run."""
        path = str(place.path)
        values = [getattr(account, name) for name in COLUMNS]
        marks = ", ".join("?" * (4 + len(values)))
        with self._connection as transaction:
            transaction.execute("delete from costs where path = ?", (path,))
            transaction.execute(
                f"insert or replace into runs values ({marks})", (path, place.stamp, user, place.n_bytes, *values)
            )
            transaction.executemany(
                "insert into costs values (?, ?, ?, ?)",
                [(path, cost.kind, cost.text, cost.lost_s) for cost in account.costs],
            )

    def entries(self, since_unix: float = 0.0) -> list[Entry]:
        """Runs that started since then, in the order of their paths."""
        costs: dict[str, list[Cost]] = {}
        for path, kind, text, lost_s in self._connection.execute("select * from costs order by rowid"):
            costs.setdefault(path, []).append(Cost(kind, text, lost_s))
        names = ", ".join(("path", "user", "trace_bytes", *COLUMNS))
        rows = self._connection.execute(
            f"select {names} from runs where started_unix >= ? order by path", (since_unix,)
        )
        return [
            Entry(
                path,
                user,
                n_bytes,
                Account(**dict(zip(COLUMNS, values, strict=True)), costs=tuple(costs.get(path, ()))),
            )
            for path, user, n_bytes, *values in rows
        ]


@contextmanager
def opened(path: Path) -> Iterator[Catalogue]:
    """The catalogue in that file, which is made if there is none.

    Raises UsageError if it is none of ours or of another version, if others can change it, or if it cannot be written.
    """
    why = owners.why_not_obeyed(path) if path.exists() else ""
    if why:
        raise UsageError(f"refused {path}: {why}", hint="name another file with --catalogue FILE")
    try:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=WAIT_S)
    except (OSError, sqlite3.Error) as error:
        raise UsageError(f"cannot use {path}: {error}", hint="name another file with --catalogue FILE") from error
    try:
        _prepare(connection, path)
        yield Catalogue(connection)
    except sqlite3.Error as error:
        raise UsageError(f"cannot use {path}: {error}", hint="name another file with --catalogue FILE") from error
    finally:
        connection.close()


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    with connection:
        connection.execute("begin immediate")
        (version,) = connection.execute("pragma user_version").fetchone()
        tables = {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}
        if version == 0 and not tables:
            for statement in (RUNS, COSTS, "create index costs_of on costs (path)", f"pragma user_version = {VERSION}"):
                connection.execute(statement)
        elif version != VERSION or not {"runs", "costs"} <= tables:
            raise UsageError(
                f"{path} is no catalogue of this version of Leadline", hint="name another file with --catalogue FILE"
            )


def users(places: Iterable[Place]) -> dict[int, str]:
    """The names of the runs' owners; each is asked for once."""
    return {number: owners.name_of(number) for number in {place.user for place in places}}
