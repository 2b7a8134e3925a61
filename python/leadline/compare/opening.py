"""A path as a Subject: a recording of ours, or a profile that another tool made."""

from __future__ import annotations

from pathlib import Path

from leadline.compare import from_profile, from_run
from leadline.compare.subject import Subject
from leadline.profiles import is_profile


def open_subject(path: Path, step: str | None = None) -> Subject:
    """Raises what leadline.open does, and UnreadableProfile."""
    return from_profile.open_profile(path) if is_profile(path) else from_run.open_subject(path, step)
