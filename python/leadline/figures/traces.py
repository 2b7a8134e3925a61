"""The decoded traces of a run. Every figure that needs one takes it from here, so that each file is read once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from leadline import _core

MOST_KEPT_BYTES = 1_000_000_000
"""Of trace files; decoded, they take about as much memory. Traces beyond that are read again whenever they are needed,
so that a report of many thousand ranks needs time instead of memory."""

READ_AHEAD = 64
MOST_AT_ONCE = 8


class Traces:
    """Reads traces, and keeps them as long as they are small enough together."""

    def __init__(self, most_kept_bytes: int = MOST_KEPT_BYTES) -> None:
        self._kept: dict[str, _core.Process] = {}
        self._left = most_kept_bytes

    def read_all(self, files: Sequence[str]) -> Iterator[_core.Process | _core.TraceError]:
        """Each trace, or why it cannot be read, in the order of the files. Some are read ahead, on other cores."""

        def each(file: str) -> _core.Process | _core.TraceError:
            try:
                return _core.open_process(file)
            except _core.TraceError as error:
                return error

        cores = len(os.sched_getaffinity(0))
        with ThreadPoolExecutor(min(cores, MOST_AT_ONCE)) as pool:
            for begin in range(0, len(files), READ_AHEAD):
                some = files[begin : begin + READ_AHEAD]
                for file, found in zip(some, pool.map(each, some), strict=True):
                    if not isinstance(found, _core.TraceError):
                        self._keep(file, found)
                    yield found

    def read(self, file: str) -> _core.Process:
        """Raises TraceError if it cannot be read."""
        if (known := self._kept.get(file)) is not None:
            return known
        process = _core.open_process(file)
        self._keep(file, process)
        return process

    def _keep(self, file: str, process: _core.Process) -> None:
        if process.file_bytes <= self._left:
            self._left -= process.file_bytes
            self._kept[file] = process
