"""Whether a program prints and writes the same with a setting, as far as unchanged runs agree among themselves.

Of the output, words are compared at the places where all unchanged runs have the same one; if they print different
numbers of words, lines that all of them have. Times and rates are left out, also where unchanged runs agree on their
few digits: a setting that helps changes them. Where tables of times have no units, other signs tell: a heading, or a
column in which unchanged runs differ anywhere. And a number that differs is only doubted until more unchanged runs have
agreed on it.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FEWEST = 2  # unchanged runs, before anything is compared
PATIENCE = 3  # unchanged runs after a number differed that agree on it still: then it is the setting
LEAST_DIGITS = 3  # of a decimal fraction: times of few digits agree by chance
LEAST_NUMBERS = 2  # in a line of a table
MOST_SHOWN = 80
UNIT = re.compile(
    r"\W*((n|u|µ|m|micro|milli|nano)?(s|sec|secs|second|seconds)|min|minutes|h|hours|%|\w*flops?"
    r"|\S*/(s|sec|day|hour)|(n|u|µ|m)?s/\S+)\W*",
    re.I,
)
TIMED = re.compile(r"time|elapsed|wall|clock|duration|rate|speed|flop|perf|bandwidth|latency|date|cpu|sec", re.I)
HEADING = re.compile(r"timing|timer|profil|breakdown", re.I)  # of times, up to the next blank line
FRACTION = re.compile(r"\d*\.\d+")


@dataclass(frozen=True)
class Doubt:
    """A number or line that differs.   place: of a word; None: it is a line.   was: what unchanged runs print.
    unchanged: how many of them there were by then."""

    place: int | None
    was: str
    now: str
    unchanged: int

    def told(self) -> str:
        if self.place is None:
            return f"its output lacks what every unchanged run printed: {self.was[:MOST_SHOWN]!r}"
        return f"it prints {self.now[:MOST_SHOWN]!r} where every unchanged run printed {self.was[:MOST_SHOWN]!r}"


class Results:
    """files: those to compare, after each run."""

    def __init__(self, files: Sequence[Path] = ()) -> None:
        self.files = tuple(files)
        self.unchanged = 0
        self._words: list[str | None] | None = []  # by place, None where runs differ; None: their numbers differ
        self._columns: list[int] = []  # by place; words of one column of a table have the same number
        self._lines: dict[str, None] = {}
        self._digests: dict[Path, set[str]] = {file: set() for file in self.files}
        self._doubts: dict[str, Doubt] = {}

    def add_unchanged(self, output: str, digests: Sequence[str]) -> None:
        words, lines = _words(output), dict.fromkeys(_lines(output))
        if not self.unchanged:
            self._words, self._columns, self._lines = list(words), _columns(output), lines
        elif self._words is None or len(words) != len(self._words):
            self._words, self._lines = None, {line: None for line in self._lines if line in lines}
        else:
            self._words = [old if old == new else None for old, new in zip(self._words, words, strict=True)]
            differ = {column for column, word in zip(self._columns, self._words, strict=True) if word is None}
            places = zip(self._columns, self._words, strict=True)
            self._words = [None if column in differ else word for column, word in places]
            self._lines = {line: None for line in self._lines if line in lines}
        for file, digest in zip(self.files, digests, strict=True):
            self._digests[file].add(digest)
        self.unchanged += 1

    def difference(self, name: str, output: str, digests: Sequence[str], *, patience: int = PATIENCE) -> str:
        """What differs from the unchanged runs with this setting, in words; "" if nothing does, or nothing can be
        compared yet, or it is a number that more unchanged runs have to agree on: then standing() says so later."""
        if self.unchanged < FEWEST:
            return ""
        found = self._difference_in(output)
        if found is not None:
            if not any(character.isdigit() for character in found.was):
                return found.told()
            self._doubts.setdefault(name, found)
        for file, digest in zip(self.files, digests, strict=True):
            if len(self._digests[file]) == 1 and digest not in self._digests[file]:
                return f"{file} differs from what every unchanged run wrote"
        return self.standing(name, patience=patience)

    def standing(self, name: str, *, patience: int = PATIENCE) -> str:
        """What differed with this setting, and is the same in so many unchanged runs since; "" if nothing is."""
        doubt = self._doubts.get(name)
        if doubt is None:
            return ""
        if not self._agree_on(doubt):
            del self._doubts[name]
            return ""
        return doubt.told() if self.unchanged >= doubt.unchanged + patience else ""

    def _agree_on(self, doubt: Doubt) -> bool:
        if doubt.place is None:
            return doubt.was in self._lines
        return self._words is not None and self._words[doubt.place] == doubt.was

    def _difference_in(self, output: str) -> Doubt | None:
        words = _words(output)
        if self._words is not None and len(words) == len(self._words):
            pairs = enumerate(zip(self._words, words, strict=True))
            differing = [Doubt(at, old, new, self.unchanged) for at, (old, new) in pairs if old not in (None, new)]
            plain = (doubt for doubt in differing if not any(character.isdigit() for character in doubt.was))
            return next(plain, differing[0] if differing else None)
        lines = set(_lines(output))
        missing = next((line for line in self._lines if line not in lines), None)
        return None if missing is None else Doubt(None, missing, "", self.unchanged)

    def not_comparable(self) -> list[Path]:
        """Files that differ between unchanged runs."""
        return [file for file, found in self._digests.items() if len(found) > 1]

    def digests(self) -> list[str]:
        return [digest_of(file) for file in self.files]


def _words(output: str) -> list[str]:
    """Its words in order; times and rates are empty."""
    found: list[str] = []
    for block in _blocks(output):
        headed = False
        for line in block:
            headed = headed or bool(HEADING.search(line))
            words = line.split()
            found += ["" if _is_time(words, at, headed=headed) else word for at, word in enumerate(words)]
    return found


def _is_time(words: Sequence[str], at: int, *, headed: bool = False) -> bool:
    word = words[at]
    if not any(character.isdigit() for character in word):
        return False
    before = words[max(0, at - 2) : at]
    after = words[at + 1] if at + 1 < len(words) else ""
    fraction = FRACTION.search(word)
    short = fraction is not None and len(fraction[0].replace(".", "").lstrip("0")) < LEAST_DIGITS
    return headed or short or bool(UNIT.fullmatch(after)) or any(TIMED.search(each) for each in (*before, word))


def _blocks(output: str) -> list[list[str]]:
    """Lines between blank ones."""
    groups = itertools.groupby(output.splitlines(), key=lambda line: bool(line.strip()))
    return [list(lines) for filled, lines in groups if filled]


def _columns(output: str) -> list[int]:
    """By word, in order: a number for its column. Lines of a table follow one another, with words and at least two
    numbers at the same places; all others have columns of their own."""
    found: list[int] = []
    following = 0
    for block in _blocks(output):
        before: tuple[bool, ...] = ()
        for line in block:
            shape = tuple(any(character.isdigit() for character in word) for word in line.split())
            if shape != before or sum(shape) < LEAST_NUMBERS:
                first, following = following, following + len(shape)
            found += [first + at for at in range(len(shape))]
            before = shape
    return found


def _lines(output: str) -> list[str]:
    """Those that do not speak of times."""
    blocks = (itertools.takewhile(lambda line: not HEADING.search(line), block) for block in _blocks(output))
    found = [line.strip() for block in blocks for line in block]
    return [line for line in found if not TIMED.search(line) and all(_words(line))]


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
