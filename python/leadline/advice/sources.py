"""The program's source, where it is at hand."""

from __future__ import annotations

import os

MOST_BYTES = 4_000_000


def source_text(file: str) -> str:
    """The text of a source file; "" if it is not here, or is no regular file."""
    try:
        if not os.path.isfile(file):  # a pipe of that name would be waited for
            return ""
        with open(file, "rb") as source:
            return source.read(MOST_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
