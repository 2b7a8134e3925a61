"""Processes of a campaign that was killed: its launches have sessions of their own and outlive it.

Each launch has a variable with a word that is the campaign's alone, which its launcher hands on to the ranks. When the
campaign goes on, what still has it is ended, because it would disturb the next runs.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

VARIABLE = "LEADLINE_CAMPAIGN"
PATIENCE_S = 5.0


def end(token: str) -> int:
    """The number of processes that were ended."""
    wanted = f"{VARIABLE}={token}".encode()
    ended: set[int] = set()
    limit = time.monotonic() + PATIENCE_S
    while found := _with(wanted):
        for pid in found:
            _kill(pid, wanted)
        ended |= set(found)
        if time.monotonic() > limit:
            break
        time.sleep(0.01)
    return len(ended)


def _with(wanted: bytes) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir() if Path("/proc").is_dir() else ():
        if not entry.name.isdecimal() or int(entry.name) == os.getpid():
            continue
        if _has(int(entry.name), wanted):
            found.append(int(entry.name))
    return found


def _has(pid: int, wanted: bytes) -> bool:
    try:
        return wanted in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:  # it is over, or another user's
        return False


def _kill(pid: int, wanted: bytes) -> None:
    """Only if the number still belongs to such a process: that is looked at once we have hold of it."""
    with contextlib.suppress(OSError):
        descriptor = os.pidfd_open(pid)
        try:
            if _has(pid, wanted):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        finally:
            os.close(descriptor)
