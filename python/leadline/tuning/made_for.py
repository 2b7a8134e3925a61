"""Whether a table was measured with the MPI library that a command will use. With another one, its rules may be slower
than the library's own algorithms."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from leadline.isolated import code_command
from leadline.launch.launcher import find_launcher
from leadline.libraries import LIBRARIES, of_file
from leadline.text import format as fmt
from leadline.tuning.probing import libmpi_of
from leadline.tuning.table import Table

TIME_LIMIT_S = 20
# MPI_Get_library_version may be called before MPI_Init, and starts nothing.
_ASKS = """
import ctypes, sys
mpi = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
text, length = ctypes.create_string_buffer(65536), ctypes.c_int()
mpi.MPI_Get_library_version(text, ctypes.byref(length))
sys.stdout.write(text.value.decode(errors="replace"))
"""


def warnings_about(table: Table, command: Sequence[str], environ: Mapping[str, str] | None = None) -> list[str]:
    """A sentence for each known difference; none if either library is unknown."""
    environ = dict(os.environ if environ is None else environ)
    name = str(table.evidence.get("library") or "")
    made_for = next((library for library in LIBRARIES if library.name == name), None)
    file = libmpi_of(command, find_launcher(command, environ.get("PATH")), environ)
    if file is None or made_for is None:
        return []
    again = "its rules may be slower than the library default here; make a table for this library with leadline tune"
    used = of_file(file)
    if used is not None and used.name != made_for.name:
        return [f"the table was made for {made_for.title}, but the program uses {used.title}: {again}"]
    there = fmt.library(str(table.evidence.get("version") or "").partition("\n")[0])
    here = fmt.library(version_of(file, environ))
    if there and here and there != here:
        return [f"the table was made for {there}, but the program uses {here}: {again}"]
    return []


def version_of(file: Path, environ: Mapping[str, str]) -> str:
    """The first line that a libmpi says of itself; "" if it cannot be asked."""
    try:
        done = subprocess.run(
            code_command(_ASKS, str(file)),
            env={name: value for name, value in environ.items() if name != "LD_PRELOAD"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIME_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    first, _, _ = done.stdout.strip().partition("\n")
    return first if done.returncode == 0 else ""
