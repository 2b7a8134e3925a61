"""The language that a program's calls are written in."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from leadline.advice.sources import source_text
from leadline.figures.run import Site


@dataclass(frozen=True)
class Language:
    """template: the end of its templates' names.   fence: what Markdown calls it."""

    name: str
    template: str
    comment: str
    fence: str


C = Language("C", "c", "//", "c")
CXX = Language("C++", "c", "//", "cpp")
FORTRAN = Language("Fortran", "f90", "!", "fortran")
FORTRAN_2008 = Language("Fortran", "f08", "!", "fortran")
PYTHON = Language("Python", "py", "#", "python")
LANGUAGES = (C, CXX, FORTRAN, FORTRAN_2008, PYTHON)

_BY_SUFFIX = {
    **dict.fromkeys((".c", ".h"), C),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".c++", ".cp", ".hh", ".hpp", ".hxx", ".tpp", ".ipp", ".cu", ".hip"), CXX),
    **dict.fromkeys((".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08", ".f18", ".inc"), FORTRAN),
    **dict.fromkeys((".py", ".pyx", ".pxi"), PYTHON),
}
_USES_F08 = re.compile(r"^\s*use\s*(,\s*\w+\s*)?(::)?\s*mpi_f08\b", re.IGNORECASE | re.MULTILINE)


def language_of(sites: Sequence[Site]) -> Language:
    """That of the first site whose source is known; C if none is."""
    for site in sites:
        if any(frame.full.startswith("mpi4py.") or frame.routine.startswith("mpi4py.") for frame in site.path):
            return PYTHON
        where = site.location
        if where is None or not where.file:
            continue
        suffix = os.path.splitext(where.file)[1]
        found = CXX if suffix == ".C" else _BY_SUFFIX.get(suffix.lower())
        if found is FORTRAN and _USES_F08.search(source_text(where.file)):
            return FORTRAN_2008
        if found is not None:
            return found
    return C
