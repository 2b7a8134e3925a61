"""The C library of field I/O, compiled when it is first needed."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from leadline import shared_object
from leadline.errors import LeadlineError

MESSAGE_BYTES = 1024
MOST_VERSION_BYTES = 8192  # of any library
DIMENSIONS = 6  # of a field, at most
# As in leadline_fieldio.h; those of fields in memory by the names of NumPy's types.
INT8, TYPES = 0, {"int32": 1, "int64": 2, "float32": 3, "float64": 4}
WAYS = {"auto": 0, "parallel": 1, "gathered": 2, "serial": 3}

_loaded: dict[str, ctypes.CDLL] = {}


class FieldIoError(LeadlineError):
    """A file cannot be used, or is used wrongly. All ranks get the text of the lowest that has something to say."""


def load(mpicc: str | None) -> ctypes.CDLL:
    """mpicc: the compiler of the MPI library that mpi4py uses, by default $MPICC or mpicc."""
    command = shared_object.compiler(mpicc)
    if command not in _loaded:
        library = ctypes.CDLL(str(shared_object.compiled("fieldio", command, options=("-ldl",))))
        _refuse_another_mpi(library, command)
        for name in ("leadline_spread_message", "leadline_fieldio_message", "leadline_fieldio_hint_set"):
            getattr(library, name).restype = ctypes.c_char_p
        library.leadline_fieldio_buffer_bytes.restype = ctypes.c_size_t
        _loaded[command] = library
    return _loaded[command]


def _refuse_another_mpi(library: ctypes.CDLL, command: str) -> None:
    """A communicator of one MPI library means nothing to another, which would end the program in its first call."""
    from mpi4py import MPI

    text, length = ctypes.create_string_buffer(MOST_VERSION_BYTES), ctypes.c_int()
    library.MPI_Get_library_version(text, ctypes.byref(length))
    compiled_for, used = _first_line(text.value.decode(errors="replace")), _first_line(MPI.Get_library_version())
    if compiled_for != used:
        raise FieldIoError(
            f"mpi4py uses {used}, but {command} compiles for {compiled_for}",
            hint="set MPICC to the compiler of mpi4py's MPI library, or pass mpicc=… when opening the file",
        )


def _first_line(version: str) -> str:
    """ "MPICH Version:      4.3.2\nMPICH Release date: …" -> "MPICH Version: 4.3.2"."""
    return " ".join(version.strip("\0 \n").partition("\n")[0].split())


def numbers(values: Sequence[int] | None) -> Any:
    """As int64_t[]; None is a null pointer."""
    return None if values is None else (ctypes.c_int64 * max(len(values), 1))(*values)


def has_parallel(comm: Any, *, mpicc: str | None = None) -> tuple[bool, str]:
    """Collective. Whether there is a PnetCDF for this MPI library on all ranks; and if not, why."""
    why = ctypes.create_string_buffer(MESSAGE_BYTES)
    has = load(mpicc).leadline_fieldio_has_parallel_f(comm.py2f(), why, ctypes.c_size_t(MESSAGE_BYTES))
    return bool(has), "" if has else why.value.decode(errors="surrogateescape")
