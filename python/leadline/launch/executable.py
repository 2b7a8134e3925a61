"""Facts about an executable file that matter for recording it: kind, architecture, libraries, MPI."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

# The libraries of each ABI family (api/abi) by file name; others are not recorded.
FAMILIES = (
    (
        "MPICH (and Intel MPI, Cray MPICH, MVAPICH)",
        re.compile(r"libmpi(ch)?\.so\.12(\.|$)|libmpi(ch)?_(cray|gnu|intel|nvidia)\w*\.so\.12(\.|$)"),
    ),
    ("Open MPI", re.compile(r"libmpi\.so\.40(\.|$)")),
    ("MPI 5 ABI", re.compile(r"libmpi_abi\.so(\.|$)")),
)
MPI_LIBRARY = re.compile(r"libmpi(ch|_abi)?(_\w+)?\.so(\.\d+)*$")
# These belong to the same libraries, but are only the bindings of a language; MPI itself is beside them.
BINDINGS = re.compile(r"libmpi_(cxx|java|mpifh|usempi\w*)\b")
FORTRAN_LAYER = re.compile(r"libmpi_mpifh|libmpi_usempi|libmpichfort|libmpifort|libmpi_usempif08")


@dataclass(frozen=True)
class Executable:
    """One file that can be executed, described without running it.

    kind: "elf", "script" or "other". bits, machine: for an ELF file. libraries: every shared library it loads.
    family: its ABI family in words; "" if it is not linked with MPI, "unknown" for a library of no known family.
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
        # A header cut short, or sections that point nowhere: no reader of ELF files gets further.
        return Executable(path, "other")


def _described(path: Path, elf: ELFFile) -> Executable:
    kinds = {segment["p_type"] for segment in elf.iter_segments()}
    dynamic = "PT_INTERP" in kinds or "PT_DYNAMIC" in kinds
    static = "PT_INTERP" not in kinds and not (dynamic and path.suffix == ".so")
    same = (elf.elfclass, elf["e_machine"]) == native_architecture()
    needed = _needed(elf)
    libraries, unresolved = _loaded(path) if same and not static else ((), ())
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
        fortran_layers=tuple(sorted({Path(name).name for name in names if FORTRAN_LAYER.search(name)})),
    )


def native_architecture() -> tuple[int, str]:
    """Word length and machine of this Python's own executable, as ELF names them."""
    with open("/proc/self/exe", "rb") as file:
        elf = ELFFile(file)
        return elf.elfclass, elf["e_machine"]


def mpi_library_of(libraries: Sequence[str]) -> str:
    """The MPI library among these libraries, preferably of a known family; "" if there is none."""
    found = [name for name in libraries if MPI_LIBRARY.search(name)]
    known = [name for name in libraries if family_of(name) not in ("", "unknown")]
    others = [name for name in found if not BINDINGS.search(Path(name).name)]
    return next(iter([*known, *others, *found]), "")


def family_of(library: str) -> str:
    if not library:
        return ""
    name = Path(library).name
    return next((family for family, pattern in FAMILIES if pattern.search(name)), "unknown")


def _needed(elf: ELFFile) -> list[str]:
    return [
        str(tag.needed)  # type: ignore[attr-defined]
        for section in elf.iter_sections()
        if isinstance(section, DynamicSection)
        for tag in section.iter_tags()
        if tag.entry.d_tag == "DT_NEEDED"
    ]


def _loaded(path: Path) -> tuple[list[str], list[str]]:
    """The libraries that the loader would load (it lists them; the program does not run), and names that it cannot
    find."""
    loader = _loader()
    if loader is None:
        return [], []
    environ = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    environ["LD_TRACE_LOADED_OBJECTS"] = "1"  # as ldd does; --list would stop at the first that is missing
    try:
        # By a name without a slash, such as Path makes of ./app, the loader would look for a library.
        done = subprocess.run(
            [loader, os.path.abspath(path)],
            stdin=subprocess.DEVNULL,
            env=environ,
            capture_output=True,
            check=False,
            timeout=20,
        )
    except (OSError, subprocess.TimeoutExpired):
        return [], []
    found, missing = [], []
    for line in done.stdout.decode(errors="replace").splitlines():
        name, arrow, target = (part.strip() for part in line.partition("=>"))
        if target.startswith("not found"):
            missing.append(name)
        elif arrow:
            found.append(target.partition(" (")[0])
    return found, missing


def _loader() -> str | None:
    with open("/proc/self/exe", "rb") as file:
        for segment in ELFFile(file).iter_segments():
            if segment["p_type"] == "PT_INTERP":
                return str(segment.get_interp_name())  # type: ignore[attr-defined]
    return None


def _defines_mpi(elf: ELFFile) -> bool:
    """Whether MPI itself is linked into the file, so that its calls never pass through the recorder."""
    for section in elf.iter_sections():
        if isinstance(section, SymbolTableSection):
            for name in ("MPI_Init", "PMPI_Init", "MPI_Init_thread"):
                symbols = section.get_symbol_by_name(name) or ()
                if any(symbol["st_shndx"] != "SHN_UNDEF" for symbol in symbols):
                    return True
    return False
