"""Where the sources of the library of packed exchanges are: C, its header, and the Fortran module."""

from __future__ import annotations

from pathlib import Path

from leadline import compiled_in


def sources() -> Path:
    """Raises MissingPrerequisite if they are not there."""
    return compiled_in.sources("segments")
