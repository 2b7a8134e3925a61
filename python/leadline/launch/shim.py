"""Where the shim is, the library that applies a table of collectives to a program (docs/tune/shim.md)."""

from __future__ import annotations

from pathlib import Path

from leadline.errors import MissingPrerequisite
from leadline.launch import recorder

FILE_NAME = "libleadline_shim.so"


def library_path() -> Path:
    """The library to preload, beside the recorder's. It may not exist."""
    return recorder.library_path().with_name(FILE_NAME)


def require_library() -> Path:
    """Like library_path(); raises MissingPrerequisite if there is none, or if LD_PRELOAD could not name it."""
    path = library_path()
    if not path.is_file():
        raise MissingPrerequisite(
            f"the shim is not at {path}", hint="in a source tree: ./dev build; otherwise install leadline again"
        )
    if any(separator in str(path) for separator in " :"):
        raise MissingPrerequisite(
            f"the path of the shim contains a space or a colon: {path}",
            hint="LD_PRELOAD cannot name it; install leadline in another directory",
        )
    return path
