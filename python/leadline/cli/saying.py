"""Leadline's own messages on standard error, wrapped between words on a terminal, and how they show a path."""

from __future__ import annotations

import os
import sys
import textwrap
from pathlib import Path
from typing import TextIO

from leadline.text.visible import in_shell, visible_lines

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


def nearby(directory: Path) -> str:
    """The path relative to the working directory if it is below it, otherwise as it is."""
    relative = os.path.relpath(directory)
    return relative if not relative.startswith("..") else str(directory)


def shown(directory: Path) -> str:
    """The same as a shell takes it, since paths are there to be copied into commands."""
    return in_shell(nearby(directory))
