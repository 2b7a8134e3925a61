"""A line that says what runs now: rewritten in a terminal, nothing in a pipe or a file."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

from leadline.text.printing import has_rewritten_lines, rewrite_line
from leadline.text.visible import visible


class ProgressLine:
    """Used as a context: at the end the line is gone.

    say: prints a message that stays; it must go through `note`, so that it does not end up behind the line.
    """

    def __init__(self, say: Callable[[str], None], stream: TextIO | None = None) -> None:
        self._say = say
        self._stream = sys.stderr if stream is None else stream
        self._shown = False

    def show(self, text: str) -> None:
        if has_rewritten_lines(self._stream):
            width = shutil.get_terminal_size().columns - 1
            rewrite_line(self._stream, visible(text)[:width])
            self._shown = True

    def note(self, text: str) -> None:
        """A message that stays, in a pipe too."""
        self.clear()
        self._say(text)

    def clear(self) -> None:
        if self._shown:
            rewrite_line(self._stream, "")
            self._shown = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self.clear()
