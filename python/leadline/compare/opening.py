"""A path as a Subject: a recording of ours, or a profile that another tool made."""

from __future__ import annotations

from pathlib import Path

from leadline.compare import from_profile, from_run
from leadline.compare.subject import Subject
from leadline.errors import DamagedTrace
from leadline.profiles import FORMATS, UnreadableProfile, is_profile

NO_TRACE = ("not a Leadline trace", "too short for a trace")


def open_subject(path: Path, step: str | None = None) -> Subject:
    """Raises what leadline.open does, and UnreadableProfile."""
    if is_profile(path):
        return from_profile.open_profile(path)
    try:
        return from_run.open_subject(path, step)
    except DamagedTrace as error:
        if path.is_file() and any(words in str(error) for words in NO_TRACE):
            raise UnreadableProfile(
                f"{path}: neither a run nor a supported profile", hint=f"supported profiles: {FORMATS}"
            ) from error
        raise
