"""The libraries that the loader gives to a program, and which of them are MPI. Runs before every recording: quick."""

from __future__ import annotations

import os
import re
import struct
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ELF64 = b"\x7fELF\x02"
PT_INTERP = 3


@dataclass(frozen=True)
class Family:
    """An ABI family of api/abi. title: in words.   pattern: of its libraries' file names."""

    name: str
    title: str
    pattern: re.Pattern[str]


# The libraries of each ABI family (api/abi) by file name; others are not recorded.
FAMILIES = (
    Family(
        "mpich",
        "MPICH (and Intel MPI, Cray MPICH, MVAPICH)",
        re.compile(r"libmpi(ch)?\.so\.12(\.|$)|libmpi(ch)?_(cray|gnu|intel|nvidia)\w*\.so\.12(\.|$)"),
    ),
    Family("openmpi", "Open MPI", re.compile(r"libmpi\.so\.40(\.|$)")),
    Family("mpi5", "MPI 5 ABI", re.compile(r"libmpi_abi\.so(\.|$)")),
)
MPI_LIBRARY = re.compile(r"libmpi(ch|_abi)?(_\w+)?\.so(\.\d+)*$")
# These belong to the same libraries, but are only the bindings of a language; MPI itself is beside them.
BINDINGS = re.compile(r"libmpi_(cxx|java|mpifh|usempi\w*)\b")


def mpi_library_of(libraries: Sequence[str]) -> str:
    """The MPI library among these libraries, preferably of a known family; "" if there is none."""
    found = [name for name in libraries if MPI_LIBRARY.search(name)]
    known = [name for name in libraries if family_of(name) not in ("", "unknown")]
    others = [name for name in found if not BINDINGS.search(Path(name).name)]
    return next(iter([*known, *others, *found]), "")


def family_of(library: str) -> str:
    """Its ABI family in words; "unknown" if it is of no known one."""
    if not library:
        return ""
    found = family(library)
    return found.title if found is not None else "unknown"


def family(library: str) -> Family | None:
    """The ABI family of a library, by its file's name."""
    name = Path(library).name
    return next((family for family in FAMILIES if family.pattern.search(name)), None)


def all_mpi_of(libraries: Sequence[str]) -> list[str]:
    """The libraries of known families: a process should load one."""
    return [name for name in libraries if family(name) is not None]


def loaded(path: Path, given: Mapping[str, str] | None = None) -> tuple[list[str], list[str]]:
    """The libraries that the loader would load (it lists them; the program does not run), and names that it cannot
    find. given: the environment, by default ours."""
    loader = interpreter_of(Path("/proc/self/exe"))
    if not loader:
        return [], []
    environ = {name: value for name, value in (given or os.environ).items() if name != "LD_PRELOAD"}
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


def interpreter_of(path: Path) -> str:
    """The loader that a 64-bit ELF file names; "" for any other file, and for a static program."""
    try:
        with path.open("rb") as file:
            header = file.read(64)
            if len(header) < 64 or not header.startswith(ELF64):
                return ""
            order = "<" if header[5] == 1 else ">"
            (offset,) = struct.unpack_from(order + "Q", header, 32)
            size, count = struct.unpack_from(order + "HH", header, 54)
            if size != 56:
                return ""
            file.seek(offset)
            table = file.read(size * count)
            for at in range(0, len(table) - size + 1, size):
                kind, _, begin, _, _, length = struct.unpack_from(order + "IIQQQQ", table, at)
                if kind == PT_INTERP and length < 4096:
                    file.seek(begin)
                    return os.fsdecode(file.read(length).rstrip(b"\0"))
    except (OSError, struct.error, OverflowError):
        return ""
    return ""
