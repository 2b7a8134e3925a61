"""Signals that ask this process to end, while launches run.

A launch has a session of its own, so Ctrl-C at the terminal does not reach it, and only this process can end it. The
signals are noted, not raised: the launch is ended in order, and what is finished is kept.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruption:
    """signal: the first one that came; 0: none.   times: how many came. The second one means at once."""

    def __init__(self) -> None:
        self.signal = 0
        self.times = 0
        self._wake: int | None = None

    @contextlib.contextmanager
    def waking(self, descriptor: int) -> Iterator[None]:
        """Meanwhile each signal writes a byte there."""
        self._wake = descriptor
        try:
            yield
        finally:
            self._wake = None

    def note(self, number: int, _: FrameType | None = None) -> None:
        self.signal = self.signal or number
        self.times += 1
        if self._wake is not None:
            os.write(self._wake, b"s")

    def end_if_any(self) -> None:
        """Ends this process as the signal would have: for Ctrl-C KeyboardInterrupt, else 128 + its number.

        To be called once what is finished has been written.
        """
        if self.signal == signal.SIGINT:
            raise KeyboardInterrupt
        if self.signal:
            raise SystemExit(128 + self.signal)


_current: Interruption | None = None


@contextlib.contextmanager
def interruption() -> Iterator[Interruption]:
    """Notes signals until the end of the block; within another such block, that one does.

    Outside of the main thread nothing can be noted, and a signal that is ignored or handled otherwise stays so.
    """
    global _current
    if threading.current_thread() is not threading.main_thread():
        yield Interruption()
        return
    if _current is not None:
        yield _current
        return
    noted = Interruption()
    before = {number: signal.getsignal(number) for number in ENDING}
    taken = [number for number in ENDING if before[number] in (signal.SIG_DFL, signal.default_int_handler)]
    _current = noted
    try:
        for number in taken:
            signal.signal(number, noted.note)
        yield noted
    finally:
        for number in taken:
            signal.signal(number, before[number])
        _current = None


@contextlib.contextmanager
def ends_the_block() -> Iterator[Interruption]:
    """As interruption(), for work that makes many launches: one that would end this process because of a signal ends
    the block only, so that what is finished can be shown. What follows the block looks at the signal."""
    with interruption() as asked:
        try:
            yield asked
        except (KeyboardInterrupt, SystemExit):
            if not asked.signal:
                raise
