"""The decoded traces of a run. Every figure that needs one takes it from here, so that each file is read once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from leadline import _core, cores

MOST_DECODED_BYTES = 16_000_000
"""Of a run's files. Their calls are decoded when they are needed, but the tables of many ranks take several times as
much memory as in the files. Of a larger run the tables are decoded again, too, from bytes that are kept or, where they
are long, left in the files. Whoever reads such traces should hold one at a time."""

MOST_KEPT_BYTES = 1_000_000_000
"""Of trace files. Traces beyond that are read again whenever they are needed, so that a report of many thousand ranks
needs time instead of memory."""

READ_AHEAD = 64
SMALL_TRACE_BYTES = 16_000  # of such, some are read ahead


class Traces:
    """Reads traces, and keeps them, or their files' bytes, as long as they are small enough together."""

    def __init__(self) -> None:
        self._decoded: dict[str, _core.Process] = {}
        self._kept: set[str] = set()  # decoded, or as bytes
        self._left = MOST_KEPT_BYTES
        self._left_decoded = MOST_DECODED_BYTES
        self._files = _core.FilesRead()
        self._stay_decoded = True

    @property
    def stay_decoded(self) -> bool:
        """All that were read: several threads may read them again at once."""
        return self._stay_decoded

    def read_all(self, files: Sequence[str]) -> Iterator[_core.Process | _core.TraceError]:
        """Each trace, or why it cannot be read, in the order of the files. Some are read ahead, on other cores."""
        at_once = cores.number()
        n_bytes = sum(map(_size, files))
        if n_bytes > self._left_decoded:
            self._stay_decoded = False
            self._left_decoded = 0
        ahead = READ_AHEAD if self._left_decoded or n_bytes <= SMALL_TRACE_BYTES * len(files) else at_once

        def each(file: str) -> _core.Process | _core.TraceError:
            try:
                return self._open(file)
            except _core.TraceError as error:
                return error

        with ThreadPoolExecutor(at_once) as pool:
            for begin in range(0, len(files), ahead):
                some = files[begin : begin + ahead]
                for file, found in zip(some, pool.map(each, some), strict=True):
                    if not isinstance(found, _core.TraceError):
                        self._keep(file, found)
                    yield found
        if self._stay_decoded:
            self._files = _core.FilesRead()  # nobody needs those bytes again

    def again(self, files: Sequence[str]) -> Iterator[list[tuple[int, _core.Process]]]:
        """Traces that were read, with their numbers among the files, some at a time. Those that have disappeared since
        are left out."""
        at_once = cores.number()
        ahead = READ_AHEAD if sum(map(_size, files)) <= SMALL_TRACE_BYTES * len(files) else at_once

        def each(index: int) -> tuple[int, _core.Process] | None:
            try:
                return index, self._decoded.get(files[index]) or self._open(files[index])
            except _core.TraceError:
                return None

        with ThreadPoolExecutor(at_once) as pool:
            for begin in range(0, len(files), ahead):
                found = pool.map(each, range(begin, min(begin + ahead, len(files))))
                yield [one for one in found if one is not None]

    def read(self, file: str) -> _core.Process:
        """Raises TraceError if it cannot be read."""
        if (known := self._decoded.get(file)) is not None:
            return known
        process = self._open(file)
        self._keep(file, process)
        return process

    def _open(self, file: str) -> _core.Process:
        keep = file in self._kept or (not self._left_decoded and _size(file) <= self._left)
        return _core.open_process(file, self._files, keep_bytes=keep)

    def _keep(self, file: str, process: _core.Process) -> None:
        if file in self._kept or process.file_bytes > self._left:
            return
        self._left -= process.file_bytes
        self._kept.add(file)
        if self._left_decoded or not file.endswith(".trace"):  # the memory of a killed process is salvaged once
            self._decoded[file] = process


def _size(file: str) -> int:
    try:
        return os.stat(file).st_size
    except NotADirectoryError:
        return _core.trace_bytes(file)  # it is in the file of its node
    except OSError:
        return 0
