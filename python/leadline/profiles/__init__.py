"""Profiles that other tools made: a file for each format, and one type for all of them."""

from __future__ import annotations

from pathlib import Path

from leadline.errors import UsageError
from leadline.profiles import tau_columns, tau_folder
from leadline.profiles.profile import Cut, Profile, Row, UnreadableProfile, cut_counts

__all__ = ["Cut", "Profile", "Row", "UnreadableProfile", "cut_counts", "read"]


def read(path: str | Path) -> Profile:
    """A folder of TAU's profiles, or a file with TAU's columns as CSV.

    Raises UsageError for a path that is not there, UnreadableProfile for a damaged or unknown one.
    """
    path = Path(path)
    if not path.exists():
        raise UsageError(f"there is no {path}")
    return tau_folder.read(path) if path.is_dir() else tau_columns.read(path)
