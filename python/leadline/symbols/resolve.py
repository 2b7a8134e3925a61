"""From the frames of a trace (module, return address) to routines, files and lines."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from leadline.symbols import names
from leadline.symbols.location import Location, ModuleProblem

if TYPE_CHECKING:
    from leadline.symbols.module import Module


# Frames between the operating system and the program: the path begins after them.
_OUTSIDE_MODULES = re.compile(r"(libc|libc-2\.\d+|ld-linux\S*|libpthread\S*|libgomp|libiomp5|libomp)\.so")
# As the recorder knows them (src/recorder/call_paths/modules.cpp): their frames are not the program's.
_INTERPRETER_MODULES = re.compile(
    r"(?:lib)?(python|guile|julia|perl|ruby|luajit|lua|octave-cli|octinterp|tcl|tclsh)[-0-9.dmt]*(?:-internal|-codegen)?(?:$|\.so)|lib(R)\.so"
)
# Inlined pieces of the C++ library are not routines of the program.
_LIBRARY_HEADERS = ("/include/c++/", "/lib/gcc/")
OUTERMOST = {"_start", "__libc_start_main", "__libc_start_call_main", "start_thread", "clone", "clone3"}
PYTHON = "(Python)"
_INTERPRETERS = {
    "python": PYTHON,
    "octave-cli": "(Octave)",
    "octinterp": "(Octave)",
    "luajit": "(Lua)",
    "tclsh": "(Tcl)",
}
INTERPRETERS = {*_INTERPRETERS.values(), "(Guile)", "(Julia)", "(Perl)", "(Ruby)", "(Lua)", "(R)", "(Tcl)"}
SYSTEM = "(system)"
# Frames that are no addresses: code that no module held (made at run time), and what a path of too many lacks.
WITHOUT_MODULE = (
    (Location("(generated code)", "(generated code)", ""),),
    (Location("(frames omitted)", "(frames omitted)", ""),),
)


def own_name(name: str) -> str:
    """The part of a binary's file name that says that its frames are not the program's; "" if they are."""
    known = _OUTSIDE_MODULES.match(name) or _INTERPRETER_MODULES.match(name)
    return known[0] if known else ""


def library_header(file: str) -> str:
    """The folder by which a source file is known to be the C++ library's; "" if it is not."""
    return next((part for part in _LIBRARY_HEADERS if part in file), "")


class Symbolizer:
    """Resolves addresses of any number of modules, each opened once and only when an address in it is asked for."""

    def __init__(self) -> None:
        self.modules_: dict[tuple[str, str], Module] = {}

    def resolve(self, path: str, build_id: str, offset: int, recorded_at_ns: int = 0) -> tuple[Location, ...]:
        """Logical frames of one return address, innermost first (inlined routines come before what they are in).

        path, build_id: of the module, as recorded.   offset: return address relative to the module's load bias.
        recorded_at_ns: Unix time of the recording: without a build id, a file changed later is not believed.
        """
        name = os.path.basename(path)
        if _OUTSIDE_MODULES.match(name):
            return (Location(SYSTEM, SYSTEM, path),)
        if interpreter := _INTERPRETER_MODULES.match(name):
            kind = interpreter[1] or interpreter[2]
            frame = _INTERPRETERS.get(kind, f"({kind.capitalize()})")
            return (Location(frame, frame, path),)
        key = (path, build_id)
        if key not in self.modules_:
            # Only here: a run whose symbols are known needs none of what reads binaries.
            from leadline.symbols.module import Module

            self.modules_[key] = Module(path, build_id, recorded_at_ns)
        return self.modules_[key].resolve(offset)

    def looked_up(self) -> Iterator[tuple[tuple[str, str, int], tuple[Location, ...]]]:
        """(path, build id, offset) and frames of all addresses asked for in binaries that could be used."""
        for (path, build_id), module in self.modules_.items():
            if module.problem is None:
                for offset, frames in module.known_.items():
                    yield (path, build_id, offset), frames

    def problems(self, ignoring: Iterable[str] = ()) -> list[ModuleProblem]:
        """The reasons why requested modules could not be used."""
        ignored = set(ignoring)
        return [m.problem for m in self.modules_.values() if m.problem is not None and m.path not in ignored]


def call_path(frames: Sequence[tuple[Location, ...]]) -> tuple[Location, ...]:
    """The program's own call path, outermost first, from physical frames (innermost first).

    What is outside the program (start-up code, thread libraries) is left out, the frames of an interpreter become
    one, and the C main that only starts a Fortran main program is left out.
    """
    inner_first: list[Location] = []
    for physical in frames:
        for location in physical:
            if _is_outside(location):
                continue
            if location.full in INTERPRETERS and inner_first and inner_first[-1].full == location.full:
                continue
            inner_first.append(location)
            if location.full == "main":
                if len(inner_first) > 1 and _is_fortran_main(inner_first):
                    inner_first.pop()
                return tuple(reversed(inner_first))
    return tuple(reversed(inner_first))


def _is_outside(location: Location) -> bool:
    name = location.full
    return name == SYSTEM or name in OUTERMOST or name.startswith("std::") or bool(library_header(location.file))


def reaches_start(frames: Sequence[tuple[Location, ...]]) -> bool:
    """Whether the frames go back to where the program or its thread began; the recorder keeps a limited number."""
    if not frames:
        return False
    outermost = frames[-1][-1].full
    return outermost == SYSTEM or any(
        location.full == "main" or location.full in OUTERMOST for physical in frames for location in physical
    )


def _is_fortran_main(inner_first: Sequence[Location]) -> bool:
    """Whether the frame inside C's main is a Fortran main program: gfortran puts that main on the program's lines."""
    outer, inner = inner_first[-1], inner_first[-2]
    if inner.full in names.FORTRAN_MAIN:
        return True
    extension = os.path.splitext(inner.file)[1].lower()
    return bool(outer.file) and outer.file == inner.file and extension.startswith((".f", ".for"))
