"""The guard's process: waits for its owner's end, ends the owner's launches that are not over, and removes folders."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import sys
import time
import urllib.parse
from pathlib import Path

from leadline.runs.guard import VARIABLE
from leadline.runs.marked import kill_marked, marked
from leadline.runs.session import kill_session, leads_session

TERMINATION_S = 5.0  # for a launcher to end its ranks, also on other nodes
PATIENCE_S = 10.0  # for processes that are killed to be gone
LOOK_S = 0.01
USED_LOOK_S = 1.0  # at whether a program that goes on still has a folder
QUIET_LOOKS = 3  # looks at which nothing is found: a process that just started has no environment yet


def main(owner: int) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)  # says that it is ready
    launches: dict[str, int] = {}
    folders: list[bytes] = []
    _follow(owner, launches, folders)
    for word, leader in launches.items():
        end(word, leader)
    for folder in folders:
        while _is_named(folder):
            time.sleep(USED_LOOK_S)
        shutil.rmtree(folder, ignore_errors=True)


def end(word: str, leader: int) -> None:
    """End a launch: its launcher first, which ends its ranks; then whatever is left.   leader: 0 if it is unknown."""
    if leader and leads_session(leader):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(leader, signal.SIGTERM)
        limit = time.monotonic() + TERMINATION_S
        while leads_session(leader) and time.monotonic() < limit:
            time.sleep(LOOK_S)
    if leader:
        kill_session(leader)
    limit, quiet = time.monotonic() + PATIENCE_S, 0
    while quiet < QUIET_LOOKS and time.monotonic() < limit:
        found = marked(VARIABLE, word)
        for pid in found:
            kill_marked(pid, VARIABLE, word)
        quiet = 0 if found else quiet + 1
        time.sleep(LOOK_S)


def _is_named(folder: bytes) -> bool:
    """Whether a process has it among its words or in its environment: a program of its owner's that goes on."""
    for entry in Path("/proc").glob("[0-9]*"):
        for name in ("cmdline", "environ") if entry.name != str(os.getpid()) else ():
            with contextlib.suppress(OSError):  # it is over, or another user's
                if folder in (entry / name).read_bytes():
                    return True
    return False


def _follow(owner: int, launches: dict[str, int], folders: list[bytes]) -> None:
    """Take what the owner tells, until it is over. launches: by word, the leaders of their sessions."""
    waited = select.poll()
    waited.register(0, select.POLLIN)
    over = _opened(owner)
    if over is not None:
        waited.register(over, select.POLLIN)
    rest = b""
    while True:
        ready = dict(waited.poll())
        if 0 in ready:
            got = os.read(0, 1 << 16)
            *lines, rest = (rest + got).split(b"\n")
            for line in lines:
                _take(line.decode().split(), launches, folders)
            if not got:
                return
        elif over in ready:  # its pipe may still be open, in a process that was forked from it
            return


def _take(told: list[str], launches: dict[str, int], folders: list[bytes]) -> None:
    match told:
        case ["directory", path]:
            folders.append(urllib.parse.unquote_to_bytes(path))
        case ["removed", path]:
            with contextlib.suppress(ValueError):  # of a guard before this one
                folders.remove(urllib.parse.unquote_to_bytes(path))
        case ["launch", word]:
            launches[word] = 0
        case ["session", word, leader]:
            launches[word] = int(leader)
        case ["over", word]:
            launches.pop(word, None)


def _opened(owner: int) -> int | None:
    """None if the system has no such descriptors, or the owner is over: the pipe is enough then."""
    try:
        descriptor = os.pidfd_open(owner)
    except OSError:
        return None
    if os.getppid() == owner:
        return descriptor
    os.close(descriptor)
    return None


if __name__ == "__main__":
    main(int(sys.argv[1]))
