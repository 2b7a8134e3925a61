"""Where the sources of the parts are that applications are compiled with: C, headers, Fortran modules."""

from __future__ import annotations

from pathlib import Path

from leadline.errors import MissingPrerequisite

PARTS = ("segments", "fieldio")


def sources(part: str) -> Path:
    """An installed package's copy, or that of a source tree."""
    package = Path(__file__).resolve().parent
    for folder in (package / "share" / part, package.parents[1] / "src" / part):
        if folder.is_dir():
            return folder
    raise MissingPrerequisite(
        f"the sources of {part} are not at {package / 'share' / part}", hint="install leadline again"
    )
