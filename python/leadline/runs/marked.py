"""Processes with a word in their environment: launchers hand it on to ranks, wherever they put them."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path


def marked(variable: str, word: str) -> list[int]:
    """Those that have the variable with just this value, as they were started. Not this one."""
    wanted = f"{variable}={word}".encode()
    entries = Path("/proc").iterdir() if Path("/proc").is_dir() else ()
    pids = [int(entry.name) for entry in entries if entry.name.isdecimal()]
    return [pid for pid in pids if pid != os.getpid() and _has(pid, wanted)]


def kill_marked(pid: int, variable: str, word: str) -> None:
    """SIGKILL, only if the number still belongs to such a process: that is looked at once we have hold of it."""
    with contextlib.suppress(OSError):
        descriptor = os.pidfd_open(pid)
        try:
            if _has(pid, f"{variable}={word}".encode()):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        finally:
            os.close(descriptor)


def _has(pid: int, wanted: bytes) -> bool:
    try:
        return wanted in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:  # it is over, or another user's
        return False
