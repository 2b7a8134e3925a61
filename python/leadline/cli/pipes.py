"""Output whose reader has left, as in `leadline report | head`, is dropped, and that is no failure."""

from __future__ import annotations

import io
import os
import stat
import sys
from typing import TextIO


def drop_what_nobody_reads() -> None:
    """For this process's standard output and standard error, where they are pipes.

    Done below Python's own streams: at a broken pipe click and rich would end the process with an exit code of their
    own, before the report of a run is written.
    """
    if sys.stdout is not None and _is_pipe(1):
        sys.stdout = _guarded(1, sys.stdout)
    if sys.stderr is not None and _is_pipe(2):
        sys.stderr = _guarded(2, sys.stderr)


class _Guarded(io.FileIO):
    def write(self, data: object) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return memoryview(data).nbytes  # type: ignore[arg-type]


def _is_pipe(number: int) -> bool:
    try:
        mode = os.fstat(number).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _guarded(number: int, stream: TextIO) -> TextIO:
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Guarded(number, "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=number == 2,
    )
