"""Hints for MPI-IO and PnetCDF, found by trying."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.fieldio.library import MESSAGE_BYTES, FieldIoError, load
from leadline.fieldio.spread import Spread

_SETS, _LONGEST = 7, 256  # as in leadline_fieldio.h


class _Trial(ctypes.Structure):
    _fields_ = (("rounds", ctypes.c_int), ("limit_s", ctypes.c_double), ("keep", ctypes.c_char_p))


class _Choice(ctypes.Structure):
    _fields_ = (
        ("hints", ctypes.c_char * _LONGEST),
        ("set", ctypes.c_int),
        ("kept", ctypes.c_int),
        ("rounds", ctypes.c_int),
        ("took_s", ctypes.c_double),
        ("written_bytes", ctypes.c_int64),
        ("median_s", ctypes.c_double * _SETS),
        ("least_s", ctypes.c_double * _SETS),
        ("most_s", ctypes.c_double * _SETS),
    )


@dataclass(frozen=True)
class HintChoice:
    """hints: for FieldFile.   is_kept: taken from the file; then nothing was tried, and the rest is 0 or empty.

    took_s: trying, as a whole.   written_bytes: by all ranks together; as many were read.
    seconds: of each set of hints, for writing and reading once on the slowest rank: median, least, most of all rounds.
    """

    hints: str
    is_kept: bool
    rounds: int
    took_s: float
    written_bytes: int
    seconds: dict[str, tuple[float, float, float]]


def hint_sets(*, mpicc: str | None = None) -> list[str]:
    """Those that are tried. The first is what is used where nothing is chosen."""
    library = load(mpicc)
    return [library.leadline_fieldio_hint_set(number).decode() for number in range(_SETS)]


def choose_hints(
    comm: Any,
    path: str | Path,
    spread: Spread,
    *,
    rounds: int = 0,
    limit_s: float = 0.0,
    keep: str | Path = "",
    mpicc: str | None = None,
) -> HintChoice:
    """The hints that are fastest for a field that is spread so, the same on all ranks. Collective.

    A field of at most 64 MiB is written to the scratch file PATH.hints, and read, with each set in turn.
    rounds: 0 for 7.   limit_s: nothing further is tried after so long; 0 for 10 s.   keep: a file: what it has for such
    a field is taken, and what is found is added to it.   Raises FieldIoError on all ranks.
    """
    library = load(mpicc)
    trial = _Trial(rounds, limit_s, os.fsencode(keep) if str(keep) else None)
    choice, message = _Choice(), ctypes.create_string_buffer(MESSAGE_BYTES)
    code = library.leadline_fieldio_choose_hints_f(
        comm.py2f(), os.fsencode(path), spread.handle, ctypes.byref(trial), ctypes.byref(choice), message,
        ctypes.c_size_t(MESSAGE_BYTES),
    )  # fmt: skip
    if code != 0:
        raise FieldIoError(message.value.decode(errors="surrogateescape"))
    times = zip(choice.median_s, choice.least_s, choice.most_s, strict=True)
    seconds = dict(zip(hint_sets(mpicc=mpicc), times, strict=True)) if choice.rounds else {}
    return HintChoice(
        choice.hints.decode(), bool(choice.kept), choice.rounds, choice.took_s, choice.written_bytes, seconds
    )
