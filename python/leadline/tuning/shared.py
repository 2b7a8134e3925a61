"""A folder that every node of a job sees: for tables and plans that the ranks read, and reports that they write.

A node's own /tmp is not one. The working directory is: launchers start the ranks in it, and batch jobs are submitted
from a place that all nodes can read.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

from leadline.errors import UsageError
from leadline.runs.guard import guarded_folder

VARIABLE = "LEADLINE_SHARED"


@contextlib.contextmanager
def shared_folder(purpose: str, known: Path | None = None) -> Iterator[Path]:
    """A new folder, removed at the end, also that of this process by a signal: in `known`, otherwise in
    $LEADLINE_SHARED, otherwise in the working directory, otherwise in /tmp, which other nodes do not see.

    Raises UsageError if $LEADLINE_SHARED is not a writable directory.
    """
    given = os.environ.get(VARIABLE)
    if given is not None and not _usable(Path(given)):
        raise UsageError(f"{VARIABLE}: not a writable directory: {given}")
    place = known or given or (os.getcwd() if _usable(Path()) else None)
    folder = Path(place or tempfile.gettempdir()).absolute() / f".leadline-{purpose}-{secrets.token_hex(4)}"
    with guarded_folder(folder):
        yield folder


def _usable(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def unseen(folder: Path) -> str:
    """Advice in case a node does not see it."""
    return f"{folder.parent} is missing or not writable on some node: set {VARIABLE} to a shared, writable directory"
