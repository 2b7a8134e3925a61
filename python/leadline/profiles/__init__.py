"""Profiles that other tools made: a file for each format, and one type for all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from leadline import own_files
from leadline.errors import UsageError
from leadline.profiles import mpip, tau_columns, tau_folder, tau_pprof
from leadline.profiles.profile import CallSite, Cut, Profile, Row, UnreadableProfile, cut_counts

__all__ = ["CallSite", "Cut", "Profile", "Row", "UnreadableProfile", "cut_counts", "is_profile", "read"]

FORMATS = "TAU profile directory, pprof text, mpiP report, CSV with TAU columns"
HEAD_BYTES = 1 << 16  # in which a format shows itself


def read(path: str | Path) -> Profile:
    """A profile in any of FORMATS.

    Raises UsageError for a path that is not there, UnreadableProfile for a damaged or unknown one.
    """
    path = Path(path)
    if not path.exists():
        raise UsageError(f"no such file or directory: {path}")
    if path.is_dir():
        return tau_folder.read(path)
    reader = _reader(path)
    if reader is None:
        raise UnreadableProfile(f"{path}: unknown profile format", hint=f"supported: {FORMATS}")
    return reader(path)


def is_profile(path: Path) -> bool:
    """Whether the path looks like a profile of another tool's; damaged ones do, too."""
    try:
        if not path.exists():
            return False
        return bool(tau_folder.profiles_in(path)) if path.is_dir() else _reader(path) is not None
    except OSError:
        return False


def _reader(path: Path) -> Callable[[Path], Profile] | None:
    """Decides by how a file begins. Raises UsageError if it cannot be opened."""
    try:
        with own_files.open_regular(path) as file:
            head = file.read(HEAD_BYTES)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    lines = head.decode("utf-8", "replace").splitlines()
    if mpip.is_mpip(lines):
        return mpip.read
    if tau_pprof.is_pprof(lines):
        return tau_pprof.read
    first = lines[0] if lines else ""
    return tau_columns.read if path.suffix == ".csv" or first.split(",")[:2] == tau_columns.COLUMNS[:2] else None
