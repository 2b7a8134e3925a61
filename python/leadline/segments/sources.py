"""Where the sources of the library of packed exchanges are: C, its header, and the Fortran module."""

from __future__ import annotations

from pathlib import Path

from leadline.errors import MissingPrerequisite


def sources() -> Path:
    """An installed package's copy, or src/segments of a source tree."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "share" / "segments", package.parents[1] / "src" / "segments"):
        if folder.is_dir():
            return folder
    raise MissingPrerequisite(
        f"the sources of packed exchanges are not at {package / 'share' / 'segments'}", hint="install leadline again"
    )
