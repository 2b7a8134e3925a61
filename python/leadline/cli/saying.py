"""Leadline's own messages on standard error: wrapped between words on a terminal, a line each elsewhere."""

from __future__ import annotations

import os
import sys
import textwrap
from typing import TextIO

from leadline.text.visible import visible_lines

LEAST_WIDTH = 40


def say(text: str) -> None:
    print(laid_out(f"leadline: {visible_lines(text)}", sys.stderr), file=sys.stderr, flush=True)


def laid_out(text: str, stream: TextIO) -> str:
    """A word that is longer than the line, such as a path, stays whole, so that it can be copied."""
    if not stream.isatty():
        return text
    width = max(LEAST_WIDTH, _columns(stream))
    return "\n".join(
        "\n".join(
            textwrap.wrap(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False) or [""]
        )
        for line in text.splitlines()
    )


def _columns(stream: TextIO) -> int:
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80
