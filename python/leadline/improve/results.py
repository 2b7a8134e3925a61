"""Whether a program prints and writes the same with a setting: lines and files that no unchanged run lacked."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

FEWEST = 2  # unchanged runs, before anything is compared: lines with times differ from run to run
MOST_SHOWN = 80


class Results:
    """files: those to compare, after each run."""

    def __init__(self, files: Sequence[Path] = ()) -> None:
        self.files = tuple(files)
        self.unchanged = 0
        self._lines: dict[str, None] = {}
        self._digests: dict[Path, set[str]] = {file: set() for file in self.files}

    def add_unchanged(self, output: str, digests: Sequence[str]) -> None:
        lines = dict.fromkeys(line.strip() for line in output.splitlines() if line.strip())
        self._lines = lines if not self.unchanged else {line: None for line in self._lines if line in lines}
        for file, digest in zip(self.files, digests, strict=True):
            self._digests[file].add(digest)
        self.unchanged += 1

    def difference(self, output: str, digests: Sequence[str]) -> str:
        """What differs from the unchanged runs, in words; "" if nothing does, or nothing can be compared yet."""
        if self.unchanged < FEWEST:
            return ""
        lines = {line.strip() for line in output.splitlines()}
        missing = next((line for line in self._lines if line not in lines), None)
        if missing is not None:
            return f"its output lacks a line that every unchanged run printed: {missing[:MOST_SHOWN]!r}"
        for file, digest in zip(self.files, digests, strict=True):
            if len(self._digests[file]) == 1 and digest not in self._digests[file]:
                return f"{file} differs from what every unchanged run wrote"
        return ""

    def not_comparable(self) -> list[Path]:
        """Files that differ between unchanged runs."""
        return [file for file, found in self._digests.items() if len(found) > 1]

    def digests(self) -> list[str]:
        return [digest_of(file) for file in self.files]


def digest_of(file: Path) -> str:
    """ "" if there is no such file."""
    found = hashlib.sha256()
    try:
        with file.open("rb") as opened:
            while piece := opened.read(1 << 20):
                found.update(piece)
    except OSError:
        return ""
    return found.hexdigest()
