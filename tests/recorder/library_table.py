"""Writes the table of docs/reference/libraries.md, with the results of each release of each library."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from .library_checks import CHECKS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "libraries.md"
BEGIN, END = "<!-- table: ./dev test --libraries -->\n", "<!-- end of the table -->\n"


@dataclass
class Row:
    """One release. cells: by check; notes: the library's own messages if a program does not run with it."""

    name: str
    cells: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    runs: bool = False


def write(rows: list[Row], names: list[str]) -> None:
    """Put the rows into the page's table. Rows of releases that were not tried this time stay. names: their order."""
    text = PAGE.read_text()
    before, _, rest = text.partition(BEGIN)
    old, _, after = rest.partition(END)
    lines = {line.split("|")[1].strip(): f"{line}\n" for line in old.splitlines() if line.startswith("| ")}
    lines |= {row.name: _line([row.name, *(row.cells.get(check, "") for check in CHECKS)]) for row in rows}
    tried = {row.name for row in rows}
    notes = [(line.removeprefix("* ").partition(":")[0], f"{line}\n") for line in old.splitlines() if line[:2] == "* "]
    notes = [(name, line) for name, line in notes if name not in tried]
    notes += [(row.name, f"* {row.name}: {_escaped(note)}\n") for row in rows for note in row.notes]
    heads = ["library", *CHECKS]
    table = [_line(heads), _line(["---"] * len(heads)), *(lines[name] for name in names if name in lines)]
    said = [line for name in names for noted, line in notes if noted == name]
    if said:
        said = [
            "\nIf a program does not run with a library here, recorded or not, this is the library's own message:\n\n",
            *said,
        ]
    PAGE.write_text(before + BEGIN + "".join([*table, *said]) + END + after)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _escaped(text: str) -> str:
    text = re.sub(r"/\S*/", "", text)  # folders of the machine it ran on
    return re.sub(r"\b(pid|node|vm)[:= ]*\d+\b", r"\1", text).replace("|", "\\|")[:160]
