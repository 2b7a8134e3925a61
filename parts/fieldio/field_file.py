"""A NetCDF file that all ranks have open."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from leadline.errors import UsageError
from leadline.fieldio.library import INT8, TYPES, WAYS, FieldIoError, load, numbers
from leadline.fieldio.spread import Spread


def _type(name: Any) -> int:
    """Of a variable in a file: the name of a NumPy type, or the type."""
    wanted = str(getattr(name, "__name__", name))
    if wanted == "int8":
        return INT8
    if wanted not in TYPES:
        raise UsageError(f"a variable's type: expected int8, {', '.join(TYPES)}, got {wanted}")
    return TYPES[wanted]


class FieldFile:
    """Opens a file, or creates one. All methods are collective unless said otherwise.

    comm: a communicator of mpi4py.   mode: "r", or "w" to create it or replace it.   way: "parallel", "gathered" or
    "serial"; "auto" is parallel if there is a PnetCDF for this MPI library, else gathered.   limit_bytes: the most that
    the buffers of rank 0 take in the gathered way; 0 for 64 MiB.   hints: "name=value;name=value", for MPI-IO and
    PnetCDF.   mpicc: the compiler of the MPI library that mpi4py uses, by default $MPICC or mpicc.

    Where something fails on any rank, FieldIoError is raised on all; after that nothing can be done with the file.
    """

    def __init__(
        self,
        comm: Any,
        path: str | Path,
        mode: str = "r",
        *,
        way: str = "auto",
        limit_bytes: int = 0,
        hints: str = "",
        mpicc: str | None = None,
    ) -> None:
        if mode not in ("r", "w") or way not in WAYS:
            raise UsageError(f'expected mode "r" or "w" and way {", ".join(WAYS)}, got {mode!r} and {way!r}')
        self._library = load(mpicc)
        self._handle = ctypes.c_void_p()
        code = self._library.leadline_fieldio_open_f(
            comm.py2f(), os.fsencode(path), int(mode == "w"), WAYS[way], ctypes.c_int64(limit_bytes), hints.encode(),
            ctypes.byref(self._handle),
        )  # fmt: skip
        if code != 0:
            said = (
                self._library.leadline_fieldio_message(self._handle).decode(errors="surrogateescape")
                if self._handle
                else "out of memory"
            )
            self.free()
            raise FieldIoError(said)

    @property
    def way(self) -> str:
        """The way that the file is open in. Local."""
        number = self._library.leadline_fieldio_way_of(self._handle)
        return next(name for name, value in WAYS.items() if value == number)

    @property
    def buffer_bytes(self) -> int:
        """The most that this rank's buffers have taken so far. Local."""
        return int(self._library.leadline_fieldio_buffer_bytes(self._handle))

    def dimension(self, name: str, length: int) -> int:
        """Defines a dimension, and returns its number. What is wrong is raised by end_definitions()."""
        return int(self._library.leadline_fieldio_dimension(self._handle, name.encode(), ctypes.c_int64(length)))

    def define(self, name: str, dtype: Any, dimensions: Sequence[int]) -> int:
        """Defines a variable of a type of NumPy (also int8), and returns its number."""
        given = (ctypes.c_int * max(len(dimensions), 1))(*dimensions)
        define = self._library.leadline_fieldio_define
        return int(define(self._handle, name.encode(), _type(dtype), len(dimensions), given))

    def text(self, variable: int, attribute: str, text: str) -> None:
        """Defines an attribute of a variable."""
        self._library.leadline_fieldio_text(self._handle, variable, attribute.encode(), text.encode())

    def number(self, attribute: str, value: int) -> None:
        """Defines an attribute of the file."""
        self._library.leadline_fieldio_number(self._handle, attribute.encode(), ctypes.c_int64(value))

    def land(self, variable: int, dtype: Any, value: float) -> None:
        """Defines what stands for land in a variable of this type, as _FillValue."""
        self._library.leadline_fieldio_land(self._handle, variable, _type(dtype), ctypes.c_double(value))

    def end_definitions(self) -> None:
        self._check(self._library.leadline_fieldio_end_definitions(self._handle))

    def get_length(self, dimension: str) -> int:
        length = ctypes.c_int64()
        get = self._library.leadline_fieldio_get_length
        self._check(get(self._handle, dimension.encode(), ctypes.byref(length)))
        return length.value

    def get_number(self, attribute: str) -> int:
        value = ctypes.c_int64()
        get = self._library.leadline_fieldio_get_number
        self._check(get(self._handle, attribute.encode(), ctypes.byref(value)))
        return value.value

    def variable(self, name: str, shape: Sequence[int]) -> int:
        """The number of a variable, which must have this shape."""
        number = ctypes.c_int()
        find = self._library.leadline_fieldio_variable
        self._check(find(self._handle, name.encode(), len(shape), numbers(shape), ctypes.byref(number)))
        return number.value

    def read(self, variable: int, spread: Spread, array: Any, *, leading: Sequence[int] = ()) -> None:
        """A field into this rank's NumPy array, halos included.

        array: contiguous, in the shape that the spread says, of float64, float32, int32 or int64.
        leading: indices of the variable's dimensions before those of the field.
        """
        self._transfer(self._library.leadline_fieldio_read, variable, spread, array, leading, array.flags.writeable)

    def write(self, variable: int, spread: Spread, array: Any, *, leading: Sequence[int] = ()) -> None:
        """A field from the ranks' arrays. Their blocks must cover the field, and must not overlap."""
        self._transfer(self._library.leadline_fieldio_write, variable, spread, array, leading, True)

    def get(self, variable: int, first: Sequence[int], count: Sequence[int], dtype: str = "float64") -> Any:
        """What is not spread: all ranks get the same new array."""
        import numpy

        values = numpy.empty(tuple(count), dtype)
        get, place = self._library.leadline_fieldio_get, ctypes.c_void_p(values.ctypes.data)
        self._check(get(self._handle, variable, len(count), numbers(first), numbers(count), _type(dtype), place))
        return values

    def put(self, variable: int, first: Sequence[int], values: Any) -> None:
        """What is not spread, from rank 0. Local; in the parallel way all ranks must call it.

        What is wrong is raised by the next collective call.
        """
        import numpy

        values = numpy.asarray(values)
        if values.dtype.name not in TYPES or not values.dtype.isnative:
            values = values.astype(numpy.float64)
        shape, place = values.shape, numpy.ascontiguousarray(values)
        self._library.leadline_fieldio_put(
            self._handle, variable, len(shape), numbers(first), numbers(shape), TYPES[values.dtype.name],
            ctypes.c_void_p(place.ctypes.data),
        )  # fmt: skip

    def settle(self) -> None:
        """All ranks learn of failures on any."""
        self._check(self._library.leadline_fieldio_settle(self._handle))

    def close(self) -> None:
        """Writes what is left; frees the file, whether that worked or not."""
        if not self._handle:
            return
        try:
            self._check(self._library.leadline_fieldio_close(self._handle))
        finally:
            self.free()

    def free(self) -> None:
        """Closes the file without saying what failed. Before MPI_Finalize."""
        if self._handle:
            self._library.leadline_fieldio_free(ctypes.byref(self._handle))

    def __enter__(self) -> FieldFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Another exception may be this rank's alone: the file is left open, because the others may not reach the
        collective close."""
        if kind is None:
            self.close()
        elif issubclass(kind, FieldIoError):
            self.free()

    def _transfer(
        self, function: Any, variable: int, spread: Spread, array: Any, leading: Sequence[int], usable: bool
    ) -> None:
        usable = usable and array.flags.c_contiguous and array.dtype.isnative and array.shape == spread.shape
        # A wrong array must not leave the others waiting: it is passed as bytes, which the library refuses on all
        # ranks.
        number = TYPES.get(array.dtype.name, INT8) if usable else INT8
        place = ctypes.c_void_p(array.ctypes.data)
        self._check(function(self._handle, variable, len(leading), numbers(leading), spread.handle, number, place))

    def _check(self, code: int) -> None:
        if code != 0:
            raise FieldIoError(self._library.leadline_fieldio_message(self._handle).decode(errors="surrogateescape"))
