"""A cell with its runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leadline.campaign.journal import Journal, Row
from leadline.campaign.plan import Cell, Recording
from leadline.statistics.median import median


@dataclass
class Measured:
    """A cell and its runs, by repeat. times: of those that count: without the recorder if there are such."""

    cell: Cell
    rows: list[Row]
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


def measured(cells: Sequence[Cell], journal: Journal) -> list[Measured]:
    by_cell: dict[str, list[Row]] = {}
    for (cell_id, _, _), row in journal.rows.items():
        by_cell.setdefault(cell_id, []).append(row)
    return [Measured(cell, by_cell.get(cell.id, [])) for cell in cells]
