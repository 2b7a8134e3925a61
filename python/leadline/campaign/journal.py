"""What a campaign has finished, on disk: a line for each run, written in one piece and forced to the disk.

A line that a kill or a full disk left incomplete is taken off when the campaign goes on; its run is repeated. So is a
run without a line. A line is never changed: of two lines of one run, which `--retry-failed` makes, the later one holds.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline import own_files
from leadline.errors import UsageError
from leadline.json_text import parsed
from leadline.text.visible import strings_in, without_surrogates

FILE = "journal.jsonl"
LOCK = ".lock"
TOKEN = ".token"
MOST_BYTES = 1 << 30

KINDS: dict[str, type | tuple[type, ...]] = {
    "cell": str,
    "repeat": int,
    "recorded": bool,
    "names": dict,
    "ok": bool,
    "time_s": (int, float, type(None)),
    "wall_s": (int, float),
}

Row = dict[str, Any]
Key = tuple[str, int, bool]  # cell, repeat, recorded


@dataclass
class Journal:
    """rows: by run, in the order in which they finished.   environments: what runs ran on, by its name."""

    directory: Path
    rows: dict[Key, Row] = field(default_factory=dict)
    environments: dict[str, dict[str, str | None]] = field(default_factory=dict)

    @property
    def file(self) -> Path:
        return self.directory / FILE

    def __post_init__(self) -> None:
        for line in self._complete().splitlines():
            self._take(line)

    def _complete(self) -> bytes:
        """All complete lines."""
        try:
            content = own_files.read(self.file, MOST_BYTES)
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise UsageError(f"cannot read {self.file}: {error.strerror or error}") from error
        return content[: content.rfind(b"\n") + 1]

    def _take(self, line: bytes) -> None:
        try:
            found = parsed(line)
        except ValueError:
            return  # of a disk that lost a part
        if not isinstance(found, dict):
            return
        if isinstance(found.get("environment"), str) and isinstance(found.get("facts"), dict):
            facts = {str(name): None if value is None else str(value) for name, value in found["facts"].items()}
            self.environments[found["environment"]] = facts
        elif is_row(found):
            key = found["cell"], found["repeat"], found["recorded"]
            self.rows.pop(key, None)
            self.rows[key] = found

    def drop_incomplete_line(self) -> None:
        """To be called with the lock, before anything is added."""
        whole = len(self._complete())
        if self.file.exists() and self.file.stat().st_size > whole:
            os.truncate(self.file, whole)

    def add(self, row: Row) -> None:
        self._write(row)

    def environment(self, facts: dict[str, str | None]) -> str:
        """The name of what a run ran on; it is written once."""
        for name, known in self.environments.items():
            if known == facts:
                return name
        name = f"e{len(self.environments) + 1}"
        self._write({"environment": name, "facts": facts})
        return name

    def _write(self, content: Row) -> None:
        line = (json.dumps(strings_in(content, without_surrogates)) + "\n").encode()
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self.file, flags, 0o644)
        try:
            written = os.write(descriptor, line)
            if written < len(line):
                raise UsageError(f"cannot write {self.file}: disk full")
            os.fsync(descriptor)
        except OSError as error:
            raise UsageError(f"cannot write {self.file}: {error.strerror}") from error
        finally:
            os.close(descriptor)
        self._take(line)


def is_row(found: Row) -> bool:
    return all(isinstance(found.get(name), kind) for name, kind in KINDS.items())


@contextmanager
def locked(directory: Path) -> Iterator[str]:
    """For the one process that adds to it. Gives a word that is the campaign's alone. Raises UsageError if another
    process has it."""
    with (directory / LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise UsageError(f"{directory}: this campaign is already running") from error
        yield _token(directory / TOKEN)


def _token(file: Path) -> str:
    if not file.exists():
        with own_files.replacing(file) as out:
            out.write(secrets.token_hex(16))
    return own_files.read_text(file).strip()
