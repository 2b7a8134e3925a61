"""The plan of packed exchanges, over the C library."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from leadline.errors import LeadlineError, UsageError
from leadline.segments.building import shared_library
from leadline.shared_object import compiler

NOBODY = -1  # as a neighbour's rank: nothing is exchanged
AUTO = 0
METHODS = {"by size": 0, "pack": 1, "datatype": 2}
POINTERS = {
    "leadline_segments_create_f": ctypes.c_void_p,
    "leadline_segments_message": ctypes.c_char_p,
    "leadline_segments_free_f": None,
}


class SegmentsError(LeadlineError):
    """A plan is wrong, or used wrongly. The text names rank, neighbour and field; a wrong plan fails on all ranks."""


def _loaded(mpicc: str | None) -> ctypes.CDLL:
    library = ctypes.CDLL(str(shared_library(compiler(mpicc))))
    for name, kind in POINTERS.items():
        getattr(library, name).restype = kind
    return library


def _placed(view: Any) -> tuple[ctypes.c_void_p, int, Any, Any]:
    """Address, dimensions, counts and strides of a NumPy array or anything with its interface."""
    if view is None:
        return ctypes.c_void_p(), 0, None, None
    shape, strides = view.shape, view.strides
    numbers = ctypes.c_longlong * max(len(shape), 1)
    return ctypes.c_void_p(view.ctypes.data), len(shape), numbers(*shape), numbers(*strides)


class Plan:
    """Exchanges of the same fields with the same neighbours.

    comm: a communicator of mpi4py.   mpicc: the compiler of the MPI library that mpi4py uses, by default $MPICC or
    mpicc; the library of packed exchanges is compiled with it once. The plan keeps the arrays it was given.
    """

    def __init__(self, comm: Any, *, mpicc: str | None = None) -> None:
        self._library = _loaded(mpicc)
        self._kept: list[Any] = []
        self._fields = 0
        self._handle = ctypes.c_void_p(self._library.leadline_segments_create_f(comm.py2f()))

    def neighbour(self, rank: int, *, outgoing: int, incoming: int) -> int:
        """A neighbour's number. What leaves as `outgoing` here is `incoming` there. A negative rank is nobody."""
        return int(self._library.leadline_segments_neighbour_f(self._handle, rank, outgoing, incoming))

    def field(self, name: str) -> int:
        """A field's number; the name is for messages."""
        self._fields += 1
        return int(self._library.leadline_segments_field(self._handle, name.encode()))

    def face(self, field: int, neighbour: int, *, send: Any = None, receive: Any = None) -> None:
        """What of the field leaves for the neighbour, and where what comes from it goes: views of arrays, or None."""
        given = [view for view in (send, receive) if view is not None]
        if not given or len({view.dtype.itemsize for view in given}) > 1:
            raise UsageError("a face needs arrays to send or receive, with elements of one size")
        if receive is not None and not receive.flags.writeable:
            raise UsageError("a face cannot be received into a read-only array")
        if any(view.ndim > 7 for view in given):
            raise UsageError("a face has at most 7 dimensions")
        self._kept += given
        self._library.leadline_segments_face_f(
            self._handle, field, neighbour, ctypes.c_size_t(given[0].dtype.itemsize), *_placed(send), *_placed(receive)
        )

    def use(self, method: str = "by size", *, persistent: bool | None = None) -> None:
        """method: "pack", "datatype" or "by size". persistent: None leaves it to the plan."""
        wanted = -1 if persistent is None else int(persistent)
        self._check(self._library.leadline_segments_use(self._handle, METHODS[method], wanted))

    def commit(self, segments: int | str = 1, *, sizes: Sequence[int] | None = None, load: str | Path = "") -> None:
        """Collective. segments: a number or "auto". sizes: fields in each segment instead.

        load: a file of save(); what it has for this plan is taken instead of trying. Raises SegmentsError on every
        rank if the plan of any is wrong.
        """
        if str(load):
            self._check(self._library.leadline_segments_load(self._handle, os.fsencode(load)))
        numbers = None if sizes is None else (ctypes.c_int * len(sizes))(*sizes)
        count = len(sizes) if sizes is not None else AUTO if segments == "auto" else int(segments)
        self._check(self._library.leadline_segments_commit(self._handle, count, numbers))

    def start(self) -> None:
        """Begins an exchange."""
        self._check(self._library.leadline_segments_start(self._handle))

    def ready(self, field: int) -> None:
        """The field's faces hold what is to be sent."""
        self._check(self._library.leadline_segments_ready(self._handle, field))

    def wait_field(self, field: int) -> None:
        """Returns when the field's halo is there. Its segment's fields must be ready."""
        self._check(self._library.leadline_segments_wait_field(self._handle, field))

    def wait(self) -> None:
        """Returns when all halos are there and everything has been sent."""
        self._check(self._library.leadline_segments_wait(self._handle))

    def exchange(self) -> None:
        """start() and wait()."""
        self._check(self._library.leadline_segments_exchange(self._handle))

    @property
    def tuned(self) -> bool:
        """Whether the form is settled; with "auto" it is after some exchanges."""
        return bool(self._library.leadline_segments_tuned(self._handle, None, None))

    def sizes(self) -> list[int]:
        """The fields in each segment of the form in use."""
        numbers = (ctypes.c_int * max(self._fields, 1))()
        count = self._library.leadline_segments_in_use(self._handle, numbers, None, None)
        return list(numbers[:count])

    def save(self, path: str | Path) -> None:
        """Collective. Adds what was found to a file for commit(load=...)."""
        self._check(self._library.leadline_segments_save(self._handle, os.fsencode(path)))

    def free(self) -> None:
        """Collective, and before MPI_Finalize."""
        if self._handle:
            self._library.leadline_segments_free_f(self._handle)
        self._handle = ctypes.c_void_p()
        self._kept.clear()

    def __enter__(self) -> Plan:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()

    def _check(self, code: int) -> None:
        if code != 0:
            raise SegmentsError(self._library.leadline_segments_message(self._handle).decode(errors="surrogateescape"))
