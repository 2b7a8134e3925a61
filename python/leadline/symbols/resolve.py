"""From the frames of a trace (module, return address) to routines, files and lines."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import DWARFError, ELFError

from leadline.symbols import elf as elf_files
from leadline.symbols import names
from leadline.symbols.dwarf import DebugInformation
from leadline.symbols.scopes import Scopes


@dataclass(frozen=True)
class Location:
    """A logical frame. `file` is "" and `line` 0 where there is no debug information.

    `resolved` is False where not even the routine is known: `routine` is then "module+0x1a2b".
    `exact` is False where the compiler gave the call no line of its own: `line` is then the nearest one it gave, 0
    where there is none, and `apart` keeps such calls from being taken for one.
    """

    routine: str
    full: str
    module: str
    file: str = ""
    line: int = 0
    symbol_offset: int = -1  # into the routine, where its symbol is all that is known
    resolved: bool = True
    exact: bool = True
    apart: int = -1

    def place(self) -> str:
        """Where in the routine: "halo.cpp:41", "halo.f90:~41" near that line, "+0x1f" into the routine, or ""."""
        if self.file:
            return f"{os.path.basename(self.file)}:{self.line_text}"
        return f"+{self.symbol_offset:#x}" if self.symbol_offset >= 0 else ""

    @property
    def line_text(self) -> str:
        """The line for people: "41", "~41" where it is the nearest one known, "?" where none is."""
        if self.exact:
            return str(self.line)
        return f"~{self.line}" if self.line else "?"


@dataclass(frozen=True)
class ModuleProblem:
    """Why the routines of a module are not known."""

    module: str
    code: str  # "binary-changed", "binary-missing", "binary-unreadable"
    message: str


# What stands between the operating system and the program: the path begins after it.
_OUTSIDE_MODULES = re.compile(r"(libc|libc-2\.\d+|ld-linux\S*|libpthread\S*|libgomp|libiomp5|libomp)\.so")
_INTERPRETER_MODULES = re.compile(r"(lib)?python[23]?(\.\d+)?[a-z]*($|\.so)")
# Inlined pieces of the C++ library are nobody's routine.
_LIBRARY_HEADERS = ("/include/c++/", "/lib/gcc/")
_OUTERMOST = {"_start", "__libc_start_main", "__libc_start_call_main", "start_thread", "clone", "clone3"}
PYTHON = "(Python)"
SYSTEM = "(system)"
# Frames that are no addresses: code that no module held (made at run time), and what a path of too many lacks.
WITHOUT_MODULE = (
    (Location("(generated code)", "(generated code)", ""),),
    (Location("(frames left out)", "(frames left out)", ""),),
)


class Symbolizer:
    """Resolves addresses of any number of modules, each opened once and only when an address in it is asked for."""

    def __init__(self) -> None:
        self.modules_: dict[tuple[str, str], _Module] = {}

    def resolve(self, path: str, build_id: str, offset: int, recorded_at_ns: int = 0) -> tuple[Location, ...]:
        """Logical frames of one return address, innermost first (inlined routines come before what they are in).

        path, build_id: of the module, as recorded.   offset: return address relative to the module's load bias.
        recorded_at_ns: Unix time of the recording: without a build id, a file changed later is not believed.
        """
        name = os.path.basename(path)
        if _OUTSIDE_MODULES.match(name):
            return (Location(SYSTEM, SYSTEM, path),)
        if _INTERPRETER_MODULES.match(name):
            return (Location(PYTHON, PYTHON, path),)
        key = (path, build_id)
        if key not in self.modules_:
            self.modules_[key] = _Module(path, build_id, recorded_at_ns)
        return self.modules_[key].resolve(offset)

    def problems(self, ignoring: Iterable[str] = ()) -> list[ModuleProblem]:
        """What kept modules that were asked for from being used."""
        ignored = set(ignoring)
        return [m.problem for m in self.modules_.values() if m.problem is not None and m.path not in ignored]


class _Module:
    def __init__(self, path: str, build_id: str, recorded_at_ns: int) -> None:
        self.path = path
        self.problem: ModuleProblem | None = None
        self.debug_: DebugInformation | None = None
        self.symbols_: elf_files.SymbolTable | None = None
        self.known_: dict[int, tuple[Location, ...]] = {}
        try:
            self._open(Path(path.removesuffix(" (deleted)")), build_id, recorded_at_ns)
        except OSError as error:
            self._fail("binary-missing", f"{path} cannot be opened ({error.strerror})")
        except (elf_files.NotElf, ELFError, DWARFError, ValueError, KeyError, AssertionError) as error:
            self._fail("binary-unreadable", f"{path} cannot be read as a program or library ({error})")

    def _fail(self, code: str, what: str) -> None:
        self.problem = ModuleProblem(self.path, code, f"{what}: its routines are shown as module+offset")

    def _open(self, path: Path, recorded: str, recorded_at_ns: int) -> None:
        elf = elf_files.open_elf(path)
        present = elf_files.build_id(elf)
        if recorded and present != recorded:
            self._fail(
                "binary-changed",
                f"{path} changed since the recording (build id {recorded[:12]}… is now "
                f"{present[:12] + '…' if present else 'absent'})",
            )
            return
        if not recorded and recorded_at_ns and path.stat().st_mtime_ns > recorded_at_ns:
            self._fail("binary-changed", f"{path} was written after the recording began and has no build id")
            return
        holder = elf
        if not elf_files.has_debug_information(elf):
            separate = elf_files.debug_file(elf, path, present)
            if separate is not None:
                holder = elf_files.open_elf(separate)
        symbols = elf_files.SymbolTable(elf)
        if holder is not elf:
            more = elf_files.SymbolTable(holder)
            symbols = more if len(more.addresses_) > len(symbols.addresses_) else symbols
        self.symbols_ = symbols
        if elf_files.has_debug_information(holder):
            try:
                self.debug_ = DebugInformation(holder.get_dwarf_info(follow_links=False))
            except (DWARFError, ELFError, ValueError, KeyError, AssertionError, NotImplementedError):
                self.debug_ = None  # compressed or split in a way we cannot read: symbols still serve

    def resolve(self, offset: int) -> tuple[Location, ...]:
        if offset not in self.known_:
            self.known_[offset] = self._look_up(offset)
        return self.known_[offset]

    @property
    def _scopes(self) -> Scopes | None:
        return self.symbols_.scopes if self.symbols_ is not None else None

    def _look_up(self, offset: int) -> tuple[Location, ...]:
        address = offset - 1  # inside the call, not after it
        found = self.symbols_.find(address) if self.symbols_ is not None else None
        if self.debug_ is not None:
            try:
                frames = self.debug_.find(address, found[0] if found is not None else "", self._scopes)
            except (DWARFError, ELFError, ValueError, KeyError, IndexError, AssertionError, NotImplementedError):
                frames = []
            if frames:
                return tuple(
                    Location(f.routine, f.full, self.path, f.file, f.line, exact=f.exact, apart=f.apart) for f in frames
                )
        if found is not None:
            short, full = names.readable(found[0], self._scopes)
            return (Location(short, full, self.path, symbol_offset=found[1]),)
        name = f"{os.path.basename(self.path) or '?'}+{offset:#x}"
        return (Location(name, name, self.path, resolved=False),)


def call_path(frames: Sequence[tuple[Location, ...]]) -> tuple[Location, ...]:
    """The program's own call path, outermost first, from physical frames (innermost first).

    What is outside the program (start-up code, thread libraries) is left out, the frames of the Python interpreter
    become one, and the C main that only starts a Fortran main program is left out.
    """
    inner_first: list[Location] = []
    for physical in frames:
        for location in physical:
            if _is_outside(location):
                continue
            if location.full == PYTHON and inner_first and inner_first[-1].full == PYTHON:
                continue
            inner_first.append(location)
            if location.full == "main":
                if len(inner_first) > 1 and _is_fortran_main(inner_first):
                    inner_first.pop()
                return tuple(reversed(inner_first))
    return tuple(reversed(inner_first))


def _is_outside(location: Location) -> bool:
    name = location.full
    return (
        name == SYSTEM
        or name in _OUTERMOST
        or name.startswith("std::")
        or any(part in location.file for part in _LIBRARY_HEADERS)
    )


def reaches_start(frames: Sequence[tuple[Location, ...]]) -> bool:
    """Whether the frames go back to where the program or its thread began; the recorder keeps only so many."""
    if not frames:
        return False
    outermost = frames[-1][-1].full
    return outermost == SYSTEM or any(
        location.full == "main" or location.full in _OUTERMOST for physical in frames for location in physical
    )


def _is_fortran_main(inner_first: Sequence[Location]) -> bool:
    """Whether the frame inside C's main is a Fortran main program: gfortran puts that main on the program's lines."""
    outer, inner = inner_first[-1], inner_first[-2]
    if inner.full in names.FORTRAN_MAIN:
        return True
    extension = os.path.splitext(inner.file)[1].lower()
    return bool(outer.file) and outer.file == inner.file and extension.startswith((".f", ".for"))
