"""Leadline: takes soundings of an MPI program."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself is two dozen files, which `leadline exec` would open on every rank
if TYPE_CHECKING:
    from typing import Any

    from leadline.regions import region as region
    from leadline.tables.run_tables import open as open

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Imports these only when a program uses them, so that commands start quickly."""
    if name == "region":
        from leadline.regions import region

        return region
    if name == "open":
        from leadline.tables.run_tables import open

        return open
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
