"""Whether a program prints and writes the same with a setting, as far as unchanged runs agree among themselves.

Of the output, words are compared at the places where all unchanged runs have the same one; if they print different
numbers of words, lines that all of them have. Times and rates are left out, also where unchanged runs agree on their
few digits: a setting that helps changes them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

FEWEST = 2  # unchanged runs, before anything is compared
MOST_SHOWN = 80
UNIT = re.compile(
    r"\W*((n|u|µ|m|micro|milli|nano)?(s|sec|secs|second|seconds)|min|minutes|h|hours|%|\w*flops?|\S*/s(ec)?)\W*", re.I
)
TIMED = re.compile(r"time|elapsed|wall|clock|duration|rate|speed|flop|perf|bandwidth|latency|date|cpu|sec", re.I)


class Results:
    """files: those to compare, after each run."""

    def __init__(self, files: Sequence[Path] = ()) -> None:
        self.files = tuple(files)
        self.unchanged = 0
        self._words: list[str | None] | None = []  # by place, None where runs differ; None: their numbers differ
        self._lines: dict[str, None] = {}
        self._digests: dict[Path, set[str]] = {file: set() for file in self.files}

    def add_unchanged(self, output: str, digests: Sequence[str]) -> None:
        words, lines = _words(output), dict.fromkeys(_lines(output))
        if not self.unchanged:
            self._words, self._lines = list(words), lines
        elif self._words is None or len(words) != len(self._words):
            self._words, self._lines = None, {line: None for line in self._lines if line in lines}
        else:
            self._words = [old if old == new else None for old, new in zip(self._words, words, strict=True)]
            self._lines = {line: None for line in self._lines if line in lines}
        for file, digest in zip(self.files, digests, strict=True):
            self._digests[file].add(digest)
        self.unchanged += 1

    def difference(self, output: str, digests: Sequence[str]) -> str:
        """What differs from the unchanged runs, in words; "" if nothing does, or nothing can be compared yet."""
        if self.unchanged < FEWEST:
            return ""
        if why := self._difference_in(output):
            return why
        for file, digest in zip(self.files, digests, strict=True):
            if len(self._digests[file]) == 1 and digest not in self._digests[file]:
                return f"{file} differs from what every unchanged run wrote"
        return ""

    def _difference_in(self, output: str) -> str:
        words = _words(output)
        if self._words is not None and len(words) == len(self._words):
            for old, new in zip(self._words, words, strict=True):
                if old is not None and old != new:
                    return f"it prints {new[:MOST_SHOWN]!r} where every unchanged run printed {old[:MOST_SHOWN]!r}"
            return ""
        lines = set(_lines(output))
        missing = next((line for line in self._lines if line not in lines), None)
        return f"its output lacks what every unchanged run printed: {missing[:MOST_SHOWN]!r}" if missing else ""

    def not_comparable(self) -> list[Path]:
        """Files that differ between unchanged runs."""
        return [file for file, found in self._digests.items() if len(found) > 1]

    def digests(self) -> list[str]:
        return [digest_of(file) for file in self.files]


def _words(output: str) -> list[str]:
    """Its words in order; times and rates are empty."""
    lines = [line.split() for line in output.splitlines()]
    return ["" if _is_time(words, at) else word for words in lines for at, word in enumerate(words)]


def _is_time(words: Sequence[str], at: int) -> bool:
    if not any(character.isdigit() for character in words[at]):
        return False
    before = words[max(0, at - 2) : at]
    after = words[at + 1] if at + 1 < len(words) else ""
    return bool(UNIT.fullmatch(after)) or any(TIMED.search(word) for word in (*before, words[at]))


def _lines(output: str) -> list[str]:
    """Those that do not speak of times."""
    found = [line.strip() for line in output.splitlines()]
    return [line for line in found if line and not TIMED.search(line) and all(_words(line))]


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
