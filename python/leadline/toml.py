"""Reads a TOML file, with the package that stands in where Python has no tomllib yet (3.10)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from leadline import own_files
from leadline.errors import UsageError

MOST_BYTES = 4 << 20  # of a file
# Each part of a dotted key costs the parser as much memory as all parts before it: the square of a line's dots bounds
# what its keys take. Summed over all lines, in words of memory.
MOST_WORDS_OF_KEYS = 10_000_000


def load(path: Path) -> dict[str, Any]:
    """Read a TOML file. Raises UsageError with the file and the line if it cannot be read or is not TOML."""
    try:
        return parsed(own_files.read_named(path, MOST_BYTES).decode())
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not a text file") from error
    except ValueError as error:  # of numbers with too many digits, too
        raise UsageError(f"{path}: not TOML: {error}") from error


def parsed(text: str) -> dict[str, Any]:
    """Raises ValueError, also for what would take more memory than any file of ours should."""
    words = 0
    for number, line in enumerate(text.split("\n"), 1):
        words += line.count(".") ** 2
        if words > MOST_WORDS_OF_KEYS:
            raise ValueError(f"too many dots (at line {number})")
    # Slow to import, and most commands find no settings file.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
