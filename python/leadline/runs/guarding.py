"""The guard's process: waits for its owner's end, and ends the owner's launches that are not over."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time

from leadline.runs.guard import VARIABLE
from leadline.runs.marked import kill_marked, marked
from leadline.runs.session import kill_session, leads_session

TERMINATION_S = 5.0  # for a launcher to end its ranks, also on other nodes
PATIENCE_S = 10.0  # for processes that are killed to be gone
LOOK_S = 0.01
QUIET_LOOKS = 3  # looks at which nothing is found: a process that just started has no environment yet


def main(owner: int) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)  # says that it is ready
    launches: dict[str, int] = {}
    _follow(owner, launches)
    for word, leader in launches.items():
        end(word, leader)


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


def _follow(owner: int, launches: dict[str, int]) -> None:
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
                _take(line.decode().split(), launches)
            if not got:
                return
        elif over in ready:  # its pipe may still be open, in a process that was forked from it
            return


def _take(told: list[str], launches: dict[str, int]) -> None:
    match told:
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
