"""The library of packed exchanges as a shared object that Python loads."""

from __future__ import annotations

from pathlib import Path

from leadline import shared_object


def shared_library(mpicc: str, folder: Path | None = None) -> Path:
    """Where it is; compiled if that has not been done. See shared_object.compiled()."""
    return shared_object.compiled("segments", mpicc, options=("-fopenmp",), folder=folder)
