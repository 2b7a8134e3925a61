"""The MPI libraries that Leadline knows: a file each, which says how to launch, set, list and prove for it.

library.py has the protocol they fill in; every module here with a LIBRARY is one of them.
"""

from __future__ import annotations

import importlib
import mmap
import pkgutil
from pathlib import Path

from leadline.libraries.library import MpiLibrary


def _all() -> tuple[MpiLibrary, ...]:
    modules = [importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    return tuple(sorted((m.LIBRARY for m in modules if hasattr(m, "LIBRARY")), key=lambda known: known.place))


LIBRARIES: tuple[MpiLibrary, ...] = _all()


def of_file(file: Path) -> MpiLibrary | None:
    """The library that a libmpi belongs to, from its name and the names of settings in it; None if unknown."""
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content:
        found = [library for library in LIBRARIES if library.is_in(content, file.name)]
    originals = {library.derived_from for library in found}
    return next((library for library in found if library.name not in originals), None)


__all__ = ["LIBRARIES", "MpiLibrary", "of_file"]
