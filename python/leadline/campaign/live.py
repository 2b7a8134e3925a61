"""While a campaign runs: which run it is at, when it is expected to end, and the table so far."""

from __future__ import annotations

import shutil
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from leadline.campaign.execution import Job, key_of
from leadline.campaign.journal import Journal
from leadline.campaign.measured import measured
from leadline.campaign.plan import Cell
from leadline.campaign.terminal import figures
from leadline.runs.order import Turn
from leadline.text.printing import console, has_rewritten_lines
from leadline.text.visible import visible

ROWS_BESIDE = 6  # lines of the terminal that the table leaves


class Live:
    """Used as a context. On a terminal a table that is drawn again before each run; elsewhere a line for each tenth."""

    def __init__(
        self, turns: Sequence[Turn[Job]], cells: Sequence[Cell], journal: Journal, say: Callable[[str], None]
    ) -> None:
        self._turns, self._cells, self._journal, self._say = turns, cells, journal, say
        self._table: Any = None
        self._told = -1
        self._begun = time.monotonic()

    def __enter__(self) -> Live:
        if has_rewritten_lines(sys.stderr):
            from rich.live import Live as RichLive

            self._table = RichLive(console=console(stderr=True), auto_refresh=False, transient=True)
            self._table.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._table is not None:
            self._table.stop()

    def note(self, text: str) -> None:
        """A message that stays."""
        if self._table is None:
            self._say(text)
        else:
            self._table.console.print(f"leadline: {visible(text)}", soft_wrap=True)

    def before(self, turn: Turn[Job]) -> None:
        """A run begins."""
        at = sum(key_of(each) in self._journal.rows for each in self._turns) + 1
        line = f"run {at} of {len(self._turns)}: {turn.candidate.cell.label}, repeat {turn.round + 1}{self._end()}"
        if self._table is not None:
            self._draw(turn.candidate.cell, line)
        elif 10 * at // len(self._turns) > self._told:
            self._told = 10 * at // len(self._turns)
            self._say(line)

    def _end(self) -> str:
        """When the last run is expected to end: a run takes as long as those of its cell, else as most runs did."""
        rows = self._journal.rows
        if not rows:
            return ""
        by: dict[str, list[float]] = {}
        for (cell, _, _), row in rows.items():
            by.setdefault(cell, []).append(row["wall_s"])
        usual = statistics.median(row["wall_s"] for row in rows.values())
        middle = {cell: statistics.median(each) for cell, each in by.items()}
        left = [turn.candidate.cell.id for turn in self._turns if key_of(turn) not in rows]
        left_s = sum(middle.get(cell, usual) for cell in left)
        ends = time.localtime(time.time() + left_s)
        return f"; ends about {time.strftime('%H:%M' if left_s < 72000 else '%a %H:%M', ends)}"

    def _draw(self, running: Cell, line: str) -> None:
        from rich.text import Text

        height = max(4, shutil.get_terminal_size().lines - ROWS_BESIDE)
        at = next((i for i, cell in enumerate(self._cells) if cell.id == running.id), 0)
        first = max(0, min(at - height // 2, len(self._cells) - height))
        out = Text(f"{visible(line)}\n", no_wrap=True)
        for each in measured(self._cells[first : first + height], self._journal):
            row = {
                **{"median": each.median_s, "low": None, "to_best": None, "outliers": 0, "group": "", "overhead": None},
                **{"failed": each.failed, "reason": next((r["reason"] for r in each.rows if not r["ok"]), "")},
            }
            mark = "▸" if each.cell.id == running.id else " "
            said = f"{mark} {each.cell.label}  {len(each.times)}  {figures(row, intervals=False)}"
            out.append(f"{visible(said)}\n", style="bold" if mark == "▸" else "")
        self._table.update(out, refresh=True)
