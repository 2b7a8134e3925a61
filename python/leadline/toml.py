"""Reads a TOML file, with the package that stands in where Python has no tomllib yet (3.10)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from leadline import own_files
from leadline.errors import UsageError


def load(path: Path) -> dict[str, Any]:
    """Read a TOML file. Raises UsageError with the file and the line if it cannot be read or is not TOML."""
    # Slow to import, and most commands find no settings file.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(own_files.read_named(path).decode())
    except RecursionError as error:
        raise UsageError(f"{path}: nested too deeply") from error
    except (OSError, ValueError) as error:  # of numbers with too many digits, too
        raise UsageError(f"{path}: {error}") from error
