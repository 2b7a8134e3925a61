"""A command in a real terminal of a given width, as a person sees it: its text without colours, and its exit code."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LIMIT_S = 120  # only for what hangs
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")
# What says how wide a terminal is, or what it can do, besides the terminal.
OTHERS = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")


@dataclass(frozen=True)
class Shown:
    """raw: all that was written, colours included."""

    code: int
    raw: str

    @property
    def text(self) -> str:
        return ESCAPES.sub("", self.raw).replace("\r\n", "\n")

    @property
    def flat(self) -> str:
        """On one line, as if it had not been wrapped."""
        return " ".join(self.text.split())

    def wider_than(self, columns: int) -> list[str]:
        """Lines that overflow, but for those that end with a word without a place to be broken, such as a path."""
        lines = [line.rpartition("\r")[2].rstrip() for line in self.text.split("\n")]
        return [line for line in lines if len(line) > columns and len(line.split()[-1]) < columns / 2]


def in_terminal(
    words: Sequence[str | Path],
    directory: Path,
    *,
    columns: int = 80,
    environ: dict[str, str] | None = None,
    interrupt_at: str = "",
) -> Shown:
    """interrupt_at: type Ctrl-C once the command has written this."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    variables = {name: value for name, value in os.environ.items() if name not in OTHERS}

    def control_the_terminal() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        [str(word) for word in words],
        cwd=directory,
        env={**variables, "TERM": "xterm-256color", **(environ or {})},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=control_the_terminal,
    )
    os.close(theirs)
    try:
        raw = _read(ours, process, interrupt_at)
        return Shown(process.wait(LIMIT_S), raw)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(ours)


def _read(terminal: int, process: subprocess.Popen[bytes], interrupt_at: str) -> str:
    data = b""
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 0.1)[0]:
            if process.poll() is not None:
                break
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # its last process has closed it
            break
        if not piece:
            break
        data += piece
        if interrupt_at and interrupt_at.encode() in data:
            os.write(terminal, b"\x03")
            interrupt_at = ""
    return data.decode(errors="replace")
