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
            f"shim library not found: {path}", hint="build the source tree (./dev build) or reinstall Leadline"
        )
    if any(separator in str(path) for separator in " :"):
        raise MissingPrerequisite(
            f"the path of the shim contains a space or a colon: {path}",
            hint="LD_PRELOAD cannot handle that: install Leadline elsewhere",
        )
    return path
