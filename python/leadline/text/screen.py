"""Writes lines for a terminal, or a file: already laid out, never wrapped or marked up by rich."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from leadline.text.visible import visible
from leadline.text.wrapping import wrapped

if TYPE_CHECKING:  # JSON and the page do not need rich
    from rich.console import Console

Line = str | tuple[str, str]  # text, or text and its style
LEAST_WIDTH = 40
COLUMN = re.compile(r"(?<=\S) {2,}(?=\S)")
FARTHEST = 0.6  # of the width: further right there is no room for a column of text


def folded(line: str, width: int) -> list[str]:
    """A line that is too long goes on beneath its last column, or, where that is far to the right, indented."""
    if len(line) <= width:
        return [line]
    starts = [match.end() for match in COLUMN.finditer(line, 0, round(width * FARTHEST))]
    hanging = " " * (starts[-1] if starts else min(len(line) - len(line.lstrip()) + 4, width // 2))
    return wrapped(line, width, rest=hanging, replace_whitespace=False)


class Screen:
    """complete: whether every entry is asked for, not only the weightiest.   empty: whether nothing was written yet."""

    def __init__(self, console: Console, *, complete: bool = False) -> None:
        self._console = console
        self.complete = complete
        self.empty = True
        self.width = max(LEAST_WIDTH, console.width)

    def section(self, title: str, remark: str = "") -> None:
        from rich.text import Text

        self.empty = False
        self._console.print()
        title, remark = visible(title), visible(remark)
        text = Text(title, style="bold")
        if remark and len(title) + len(remark) + 2 <= self.width:
            text.append(f"  {remark}", style="dim not bold")
        self._console.print(text, soft_wrap=True)

    def lines(self, lines: Sequence[Line]) -> None:
        from rich.text import Text

        for line in lines:
            self.empty = False
            whole, style = (line, "") if isinstance(line, str) else line
            for part in folded(visible(whole), self.width):
                self._console.print(Text(part, style=style), soft_wrap=True)

    def paragraph(self, text: str, style: str = "") -> None:
        self.lines([(line, style) for line in wrapped(visible(text), self.width, break_long_words=False)])

    def item(self, text: str, style: str = "") -> None:
        self.lines([(line, style) for line in wrapped(visible(text), self.width, "- ", "  ")])
