"""Part of docs/read/tables.md and the stubs of rows, both made from the declarations in python/leadline/tables."""

from __future__ import annotations

import sys
import textwrap

from dev.paths import ROOT

sys.path.insert(0, str(ROOT / "python"))

from leadline.tables import TABLES
from leadline.tables.declaration import ColumnDeclaration, TableDeclaration

PAGE = ROOT / "docs" / "read" / "tables.md"
STUBS = ROOT / "python" / "leadline" / "tables" / "rows.pyi"
MADE = "<!-- From here on: made from python/leadline/tables by ./dev lint --fix. -->\n"
WIDTH = 120


def made() -> dict[str, tuple[str, str]]:
    """What the files hold and what they should hold, by name."""
    page = PAGE.read_text()
    return {
        str(path.relative_to(ROOT)): (path.read_text() if path.exists() else "", text)
        for path, text in ((PAGE, page.partition(MADE)[0] + MADE + sections()), (STUBS, stubs()))
    }


def outdated(*, fix: bool) -> list[str]:
    """A line for each file that is not as the declarations have it; with `fix` it is written."""
    found = []
    for name, (is_, should_be) in made().items():
        if is_ != should_be and fix:
            (ROOT / name).write_text(should_be)
        elif is_ != should_be:
            found.append(f"{name} is not what the declarations of tables say: ./dev lint --fix")
    return found


def sections() -> str:
    return "".join(map(_section, TABLES))


def _section(table: TableDeclaration) -> str:
    lines = ["", f"## {table.id}()", "", *textwrap.wrap(f"{table.rows} {table.more}", WIDTH), ""]
    lines += ["| column | type | unit | meaning |", "|---|---|---|---|"]
    lines += [f"| `{c.name}` | {c.kind.value} | {c.unit} | {_meaning(c)} |" for c in table.columns]
    return "\n".join(lines) + "\n"


def _meaning(column: ColumnDeclaration) -> str:
    return column.meaning + (f"; null: {column.null}" if column.null else "")


def stubs() -> str:
    """A class for the rows of each table, its fields with their meanings."""
    head = '"""The rows of the tables. Made from python/leadline/tables by ./dev lint --fix: do not edit."""\n\n'
    return head + "from typing import NamedTuple\n" + "".join(map(_row, TABLES))


def _row(table: TableDeclaration) -> str:
    lines = ["", f"class {table.row_name}(NamedTuple):", f'    """{table.rows}"""', ""]
    for column in table.columns:
        lines.append(f"    {column.name}: {column.kind.python}{' | None' if column.null else ''}")
        of = f" ({column.unit})" if column.unit else ""
        text = textwrap.wrap(f'"""{_meaning(column)}{of}."""', WIDTH - 4)
        if len(text) > 1 and len(text[-1]) + 4 > WIDTH:
            text.append("")
        lines += [f"    {line}" for line in text]
    return "\n".join(lines) + "\n"
