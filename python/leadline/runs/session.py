"""Ends all processes of a session. Launchers give ranks process groups of their own, but leave them in the session."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

PASSES = 5  # over the processes: those that are killed may have started others


def kill_session(leader: int) -> None:
    """SIGKILL to every process of the session, its leader too, which must not have been waited for yet."""
    for _ in range(PASSES):
        members = list(_members(leader))
        for pid in members:
            _kill(pid, leader)
        if not members:
            break
    kill_group(leader)  # where there is no /proc


def kill_group(leader: int) -> None:
    """SIGKILL to every process of the group. Its leader must not have been waited for: its number stays taken."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def leads_session(pid: int) -> bool:
    """Whether it is there, is not over, and leads a session."""
    return _session_of(pid) == pid


def _members(session: int) -> Iterator[int]:
    for entry in Path("/proc").iterdir() if Path("/proc").is_dir() else ():
        if entry.name.isdecimal() and _session_of(int(entry.name)) == session:
            yield int(entry.name)


def _session_of(pid: int) -> int | None:
    """None if it is gone or over already."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    state, _, _, session = text.rpartition(")")[2].split()[:4]
    return None if state in "ZX" else int(session)


def _kill(pid: int, session: int) -> None:
    """Only if the number still belongs to a process of the session: that is looked at once we have hold of it."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    except OSError:  # a kernel before 5.3
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
        return
    try:
        if _session_of(pid) == session:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
    finally:
        os.close(descriptor)
