"""How a field is spread over the ranks."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from leadline.errors import UsageError
from leadline.fieldio.library import FieldIoError, load, numbers


class Spread:
    """This rank's block of a field, and where it lies in an array. Collective.

    comm: a communicator of mpi4py.   whole: the field's sizes.   first, count: of the block in the field; a count may
    be 0.   array: the array's shape, by default the block's.   offset: of the block in the array, by default 0.
    halo: how far reading fills the array around the block, by default 0.
    mask: of booleans or bytes, in the array's shape: 0 is land, which reading leaves as it is, and which is written as
    `land`.   Raises FieldIoError on all ranks if the numbers of any rank are wrong.
    """

    def __init__(
        self,
        comm: Any,
        *,
        whole: Sequence[int],
        first: Sequence[int],
        count: Sequence[int],
        array: Sequence[int] | None = None,
        offset: Sequence[int] | None = None,
        halo: Sequence[int] | None = None,
        mask: Any = None,
        land: float = 0.0,
        mpicc: str | None = None,
    ) -> None:
        self.library = load(mpicc)
        self.handle = ctypes.c_void_p()
        self.shape = tuple(count if array is None else array)
        given = (whole, first, count, array, offset, halo)
        # An error here must not leave the others waiting: zero dimensions are refused on all ranks.
        fits = all(values is None or len(values) == len(whole) for values in given)
        dimensions = len(whole) if fits else 0
        create = self.library.leadline_spread_create_f
        self._check(create(comm.py2f(), dimensions, *map(numbers, given), ctypes.byref(self.handle)))
        if mask is not None:
            self._mask(mask, land)

    def _mask(self, mask: Any, land: float) -> None:
        if mask.shape != self.shape or mask.dtype.itemsize != 1 or not mask.flags.c_contiguous:
            raise UsageError(f"a mask must be contiguous bytes or booleans of the array's shape {self.shape}")
        self._kept = mask
        self.library.leadline_spread_mask(self.handle, ctypes.c_void_p(mask.ctypes.data), ctypes.c_double(land))

    def free(self) -> None:
        if self.handle:
            self.library.leadline_spread_free(ctypes.byref(self.handle))

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            self.free()

    def _check(self, code: int) -> None:
        if code != 0:
            said = self.library.leadline_spread_message(self.handle) if self.handle else b"no memory"
            self.free()
            raise FieldIoError(said.decode(errors="surrogateescape"))
