"""If this process is killed, its launches are ended all the same, by a process that stands beside it: the guard.

The guard is started before the first launch, in a session of its own, and is told of each launch through a pipe. At
this process' end it ends the launches that are not over. A launch is known by its session, and by a word in its
environment: the word holds from its first moment on, and for ranks that have left the session. Folders that are for a
time only are removed likewise, once no process names them any more.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import secrets
import shutil
import subprocess
import urllib.parse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from leadline.isolated import module_command

VARIABLE = "LEADLINE_LAUNCH"
ENDS_S = 1.0  # for a guard that has nothing left to do


@dataclass(frozen=True)
class Guarded:
    """A launch that the guard knows of.   word: of its environment."""

    word: str
    guard: _Guard | None

    def environment(self, given: Mapping[str, str] | None) -> dict[str, str]:
        """given: None for this process' own."""
        return {**(os.environ if given is None else given), VARIABLE: self.word}

    def started(self, pid: int) -> None:
        """pid: of its first process, which leads its session."""
        if self.guard is not None:
            self.guard.tell(f"session {self.word} {pid}")


@contextlib.contextmanager
def guarded() -> Iterator[Guarded]:
    """A launch is started and waited for within the block."""
    guard = _of_this_process()
    launch = Guarded(secrets.token_hex(8), guard)
    if guard is not None:
        guard.tell(f"launch {launch.word}")
    try:
        yield launch
    finally:
        if guard is not None:
            guard.tell(f"over {launch.word}")


@contextlib.contextmanager
def guarded_folder(path: Path) -> Iterator[None]:
    """Makes the directory, and removes it at the end of the block. Raises OSError."""
    guard = _of_this_process()
    word = urllib.parse.quote_from_bytes(os.fsencode(path))
    if guard is not None:
        guard.tell(f"directory {word}")
    try:
        path.mkdir(mode=0o700)
        yield
    finally:
        shutil.rmtree(path, ignore_errors=True)
        if guard is not None:
            guard.tell(f"removed {word}")


class _Guard:
    """owner: the process whose launches it ends."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        words = module_command("leadline.runs.guarding", str(self.owner))
        environ = {name: value for name, value in os.environ.items() if not name.startswith("LEADLINE_")}
        self.process = subprocess.Popen(
            words, env=environ, cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        assert self.process.stdout is not None
        self.process.stdout.read()  # until it is ready: its start should not disturb a launch

    @property
    def stands(self) -> bool:
        return self.owner == os.getpid() and self.process.poll() is None

    def tell(self, line: str) -> None:
        """In one piece. If the guard is gone, the launch is unguarded."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            os.write(self.process.stdin.fileno(), f"{line}\n".encode())

    def dismiss(self) -> None:
        """At the end of this process; not in one that was forked from it."""
        if self.owner == os.getpid() and self.process.stdin is not None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self.process.stdin.close()
                self.process.wait(ENDS_S)


_guard: _Guard | None = None


def _of_this_process() -> _Guard | None:
    """None if the system starts no process more: the launch will say so itself."""
    global _guard
    if _guard is None or not _guard.stands:
        try:
            _guard = _Guard()
        except OSError:
            return None
        atexit.register(_guard.dismiss)
    return _guard
