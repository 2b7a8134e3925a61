"""Names in place of names: the same one for the same thing throughout a run, numbered in the order of appearance."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict

from leadline.symbols import names
from leadline.symbols.location import Location
from leadline.symbols.resolve import INTERPRETERS, OUTERMOST, SYSTEM, library_header, own_name

FOLDER = "/anonymous"
_SHOWN_KINDS = frozenset(
    ".bin .c .cc .cpp .csv .cu .cxx .dat .f .f03 .f08 .f90 .f95 .for .h .h5 .hdf5 .hpp .json .log .nc .nml .out .py"
    " .txt .xml".split()
)
_MAINS = frozenset({"main", *OUTERMOST, *names.FORTRAN_MAIN, *INTERPRETERS, SYSTEM})
_BUILDER = re.compile(r"package: [^,]*(, )?")  # Open MPI names who built it, and where
_NUMBER = re.compile("[0-9]+")


def _shown_ending(path: str) -> str:
    """Only an ending that many programs use stays."""
    ending = posixpath.splitext(path)[1]
    return ending if ending.lower() in _SHOWN_KINDS else ""


def _in_letters(number: str) -> str:
    """ "1" -> "a", "26" -> "z", "27" -> "aa"."""
    left, letters = int(number), ""
    while left:
        left, digit = divmod(left - 1, 26)
        letters = chr(ord("a") + digit) + letters
    return letters


class Pseudonyms:
    """keep_source: routines and source files keep their names, without the folders they are in."""

    def __init__(self, *, keep_source: bool = False) -> None:
        self.keep_source = keep_source
        self._known: dict[str, dict[str, str]] = defaultdict(dict)

    def of(self, kind: str, name: str, ending: str = "") -> str:
        """ "host", "n0417.site.org" -> "host1"; nothing stays nothing."""
        if not name:
            return ""
        known = self._known[kind]
        return known.setdefault(name, f"{kind}{len(known) + 1}{ending}")

    def opened(self, path: str) -> str:
        """Of a file that the program opened. The report takes files whose names differ in numbers only as a family:
        they stay one, and no others become one."""
        if not path:
            return ""
        family = _NUMBER.sub("#", path)
        known = self._known["family"]
        letters = _in_letters(known.setdefault(family, str(len(known) + 1)))
        members = self._known[f"of {letters}"]
        number = members.setdefault(path, str(len(members) + 1))
        return f"{FOLDER}/data-{letters}{f'.{number}' if '#' in family else ''}{_shown_ending(path)}"

    def source(self, path: str) -> str:
        """ "/home/ann/halo.c" -> "/anonymous/file1.c"."""
        return path and f"{FOLDER}/{self.of('file', path, _shown_ending(path))}"

    def module(self, path: str) -> str:
        """Of a binary: what tells the system's libraries and interpreters from the program's stays."""
        known = own_name(posixpath.basename(path))
        return path and f"{FOLDER}/{self.of('module', path)}{'/' + known if known else ''}"

    def build_id(self, path: str, build_id: str) -> str:
        """One for each binary, also for those without: their routines can only be kept under a build id."""
        return self.of("build", f"{path}\0{build_id}").removeprefix("build").rjust(40, "0")

    def named_by_user(self, kind: str, name: str) -> str:
        """Of datatypes and operations: the standard's keep their names."""
        return name if name.startswith("MPI_") or name == "user-defined" else self.of(kind, name)

    def library(self, text: str) -> str:
        """What an MPI library says of itself, without who built it."""
        return _BUILDER.sub("", text)

    def location(self, at: Location) -> Location:
        """The same frame; equal frames stay equal, and others differ."""
        module = self.module(at.module)
        routine, full = self._routine(at.routine), self._full(at)
        return Location(
            routine, full, module, self._source(at.file), at.line, at.symbol_offset, at.resolved, at.exact, at.apart
        )

    def _routine(self, name: str) -> str:
        return name if self.keep_source or name in _MAINS else self.of("routine", name)

    def _full(self, at: Location) -> str:
        if self.keep_source or at.full in _MAINS:
            return at.full
        if at.full.startswith("std::"):  # inlined pieces of the C++ library are known by that
            return f"std::{self.of('scope', at.full)}::{self._routine(at.routine)}"
        return self._routine(at.routine) if at.full == at.routine else self._in_scope(at)

    def _in_scope(self, at: Location) -> str:
        return f"{self.of('scope', at.full)}::{self._routine(at.routine)}"

    def _source(self, file: str) -> str:
        if not file:
            return ""
        folder = library_header(file)
        if folder:
            return f"{folder}{self.of('header', file)}"
        if self.keep_source:
            return f"{FOLDER}/{self.of('folder', posixpath.dirname(file) or '.')}/{posixpath.basename(file)}"
        return self.source(file)
