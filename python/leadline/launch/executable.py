"""Facts about an executable file that matter for recording it: kind, architecture, libraries, MPI."""

from __future__ import annotations

import os
import re
import shutil
import stat
from dataclasses import dataclass, field
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from leadline.launch.loading import family_of, loaded, mpi_library_of

FORTRAN_LAYER = re.compile(r"libmpi_mpifh|libmpi_usempi|libmpichfort|libmpifort|libmpi_usempif08")


@dataclass(frozen=True)
class Executable:
    """One file that can be executed, described without running it.

    kind: "elf", "script" or "other". bits, machine: for an ELF file. libraries: every shared library it loads.
    family: its ABI family in words; "" if it is not linked with MPI, "unknown" for a library of no known family.
    loads_libraries: it calls dlopen.
    """

    path: Path
    kind: str
    bits: int = 0
    machine: str = ""
    static: bool = False
    privileged: bool = False
    libraries: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    mpi_library: str = ""
    family: str = ""
    contains_mpi: bool = False
    loads_libraries: bool = False
    fortran_layers: tuple[str, ...] = field(default=())
    interpreter: tuple[str, ...] = ()


def inspect(word: str, search_path: str | None = None) -> Executable | None:
    """The executable that `word` names; None if there is none."""
    found = shutil.which(word, path=search_path)
    if found is None:
        return None
    path = Path(found)
    try:
        with path.open("rb") as file:
            start = file.read(256)
    except OSError:
        return Executable(path, "other", privileged=_is_privileged(path))
    if start.startswith(b"\x7fELF"):
        return _inspect_elf(path)
    if start.startswith(b"#!"):
        words = start[2:].partition(b"\n")[0].decode(errors="replace").split()
        return Executable(path, "script", interpreter=tuple(words))
    return Executable(path, "other", privileged=_is_privileged(path))


def _is_privileged(path: Path) -> bool:
    """Whether the loader ignores LD_PRELOAD for it: set-user-id, set-group-id, or file capabilities."""
    mode = path.stat().st_mode
    if mode & stat.S_ISUID or (mode & stat.S_ISGID and mode & stat.S_IXGRP):
        return True
    try:
        return "security.capability" in os.listxattr(path)
    except OSError:
        return False


def _inspect_elf(path: Path) -> Executable:
    try:
        with path.open("rb") as file:
            return _described(path, ELFFile(file))
    except (ELFError, OSError, ValueError, KeyError, AttributeError, TypeError, IndexError):
        # A truncated header, or sections that point nowhere: no ELF reader can continue.
        return Executable(path, "other")


def _described(path: Path, elf: ELFFile) -> Executable:
    kinds = {segment["p_type"] for segment in elf.iter_segments()}
    dynamic = "PT_INTERP" in kinds or "PT_DYNAMIC" in kinds
    static = "PT_INTERP" not in kinds and not (dynamic and path.suffix == ".so")
    same = (elf.elfclass, elf["e_machine"]) == native_architecture()
    needed = _needed(elf)
    libraries, unresolved = loaded(path) if same and not static else ((), ())
    names = libraries or needed
    mpi = mpi_library_of(names)
    return Executable(
        path,
        "elf",
        bits=elf.elfclass,
        machine=elf["e_machine"],
        static=static,
        privileged=_is_privileged(path),
        libraries=tuple(names),
        unresolved=tuple(unresolved),
        mpi_library=mpi,
        family=family_of(mpi),
        contains_mpi=_defines_mpi(elf),
        loads_libraries=_calls(elf, "dlopen"),
        fortran_layers=tuple(sorted({Path(name).name for name in names if FORTRAN_LAYER.search(name)})),
    )


def native_architecture() -> tuple[int, str]:
    """Word length and machine of this Python's own executable, as ELF names them."""
    with open("/proc/self/exe", "rb") as file:
        elf = ELFFile(file)
        return elf.elfclass, elf["e_machine"]


def run_path_of(path: Path) -> list[str]:
    """The folders that were linked into a program for its libraries, and that LD_LIBRARY_PATH goes before."""
    try:
        with path.open("rb") as file:
            found = _entries(ELFFile(file), "DT_RUNPATH", "runpath")
    except (ELFError, OSError, ValueError, KeyError, AttributeError, TypeError, IndexError):
        return []
    origin = str(path.resolve().parent)
    folders = [folder for text in found for folder in text.split(":") if folder]
    return [folder.replace("${ORIGIN}", origin).replace("$ORIGIN", origin) for folder in folders]


def needed_by(path: Path) -> list[str]:
    """The libraries that a program or library names as those it needs; [] if it cannot be read."""
    try:
        with path.open("rb") as file:
            return _needed(ELFFile(file))
    except (ELFError, OSError, ValueError, KeyError, AttributeError, TypeError, IndexError):
        return []


def _needed(elf: ELFFile) -> list[str]:
    return _entries(elf, "DT_NEEDED", "needed")


def _entries(elf: ELFFile, tag_name: str, value: str) -> list[str]:
    return [
        str(getattr(tag, value))
        for section in elf.iter_sections()
        if isinstance(section, DynamicSection)
        for tag in section.iter_tags()
        if tag.entry.d_tag == tag_name
    ]


def _calls(elf: ELFFile, function: str) -> bool:
    """Whether the file imports the function."""
    tables = (section for section in elf.iter_sections() if isinstance(section, SymbolTableSection))
    return any(
        symbol["st_shndx"] == "SHN_UNDEF"
        for table in tables
        if table.name == ".dynsym"
        for symbol in table.get_symbol_by_name(function) or ()
    )


def _defines_mpi(elf: ELFFile) -> bool:
    """Whether MPI itself is linked into the file, so that its calls never pass through the recorder."""
    for section in elf.iter_sections():
        if isinstance(section, SymbolTableSection):
            for name in ("MPI_Init", "PMPI_Init", "MPI_Init_thread"):
                symbols = section.get_symbol_by_name(name) or ()
                if any(symbol["st_shndx"] != "SHN_UNDEF" for symbol in symbols):
                    return True
    return False
