"""A cell with its runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leadline.campaign.journal import Journal, Row
from leadline.campaign.plan import Cell, Recording
from leadline.statistics.median import median


@dataclass
class Measured:
    """A cell and its runs, by repeat; or a part of its program. times: of those that count: without the recorder if
    there are such."""

    cell: Cell
    rows: list[Row]
    part: str = ""
    times: list[float] = field(default_factory=list)
    recorded: bool = False

    def __post_init__(self) -> None:
        self.rows.sort(key=lambda row: (row["repeat"], row["recorded"]))
        self.recorded = self.cell.program.recording is Recording.YES
        self.times = [row["time_s"] for row in self.rows if self.counts(row)]

    def counts(self, row: Row) -> bool:
        return bool(row["ok"]) and row["recorded"] == self.recorded and (row["time_s"] or 0) > 0

    @property
    def median_s(self) -> float | None:
        return median(self.times) if self.times else None

    @property
    def failed(self) -> int:
        return sum(not row["ok"] for row in self.rows)


def measured(cells: Sequence[Cell], journal: Journal, *, parts: bool = False) -> list[Measured]:
    """parts: whether the parts of programs follow their cells."""
    by_cell: dict[str, list[Row]] = {}
    for (cell_id, _, _), row in journal.rows.items():
        by_cell.setdefault(cell_id, []).append(row)
    found: list[Measured] = []
    for cell in cells:
        rows = by_cell.get(cell.id, [])
        found.append(Measured(cell, rows))
        for name, _ in cell.program.parts if parts else ():
            found.append(Measured(cell, [_of_part(row, name) for row in rows], name))
    return found


def _of_part(row: Row, name: str) -> Row:
    parts = row.get("parts")
    time_s = parts.get(name) if isinstance(parts, dict) else None
    known = isinstance(time_s, int | float)
    return {**row, "time_s": time_s if known else None, "ok": row["ok"] and known}
