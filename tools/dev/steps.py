"""Runs one step of the set-up: quietly into a log, reported in one line, and shown in full if it fails."""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence

from dev.paths import BUILD, LOGS


class StepFailed(Exception):
    """A step of the set-up failed. The message says which, and where its log is."""

    def __init__(self, message: str, *, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def say(text: str) -> None:
    print(f"dev: {text}", file=sys.stderr, flush=True)


def step(what: str, command: Sequence[str | os.PathLike[str]], environ: Mapping[str, str] | None = None) -> None:
    """Run `command` with its output in build/logs; `what` names it on the terminal. Raises StepFailed."""
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / (what.replace(" ", "-").replace("/", "-") + ".log")
    say(what)
    begin = time.monotonic()
    with log.open("w") as out:
        code = subprocess.run(
            [os.fspath(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environ or {})},
            check=False,
        ).returncode
    if code != 0:
        lines = log.read_text(errors="replace").splitlines()
        print("\n".join(lines[-60:]), file=sys.stderr)
        raise StepFailed(f"{what}: failed with code {code}; the whole log is {log}")
    seconds = time.monotonic() - begin
    if seconds > 5:
        say(f"{what}: {seconds:.0f} s")


@contextlib.contextmanager
def exclusive() -> Iterator[None]:
    """One set-up at a time in a checkout: two would build into the same folder."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another ./dev in this checkout")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
