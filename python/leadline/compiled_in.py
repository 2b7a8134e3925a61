"""Where the sources of the parts are that applications are compiled with: C, headers, Fortran modules."""

from __future__ import annotations

from pathlib import Path

from leadline.errors import MissingPrerequisite

PARTS = ("segments", "fieldio")


def sources(part: str) -> Path:
    """The part's folder, which is also its Python package. In a source tree that is a link to parts/."""
    folder = Path(__file__).resolve().parent / part
    if not any(folder.glob("[a-z]*.c")):
        raise MissingPrerequisite(
            f"cannot find the sources of {part} in {folder}",
            hint="build the source tree (./dev build) or reinstall Leadline",
        )
    return folder.resolve()
