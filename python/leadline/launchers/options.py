"""Launchers' own options, and which of them take a value, so that `srun -J test ./app` does not seem to run `test`.

Each launcher's table, in its own file, was made from its manual and from its output for --help.
tests/cli/test_launcher_options.py compares it with that output if the launcher is installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """The options of one launcher.

    values: names without dashes, of those with a value in the next word; pairs: with two, or one that has a "=".
    flags: that have none, or an optional one behind a "=".
    gnu: as getopt_long reads them: `-n4`, `-ln4`, `--ntasks 4`, `--ntasks=4`, `--ntas 4`. Otherwise one dash and two
    mean the same, and single letters cannot be joined.
    """

    values: frozenset[str]
    pairs: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    gnu: bool = False

    def takes(self, words: Sequence[str], at: int) -> int | None:
        """The number of words of the option at `at`, with its values; None if it is unknown."""
        word = words[at]
        name, assigned, _ = word.lstrip("-").partition("=")
        if self.gnu and not word.startswith("--"):
            return self._letters(word[1:])
        if assigned and name not in self.pairs:
            return 1
        if self.gnu:
            name = self._whole(name)
        if name in self.pairs:
            return 2 if assigned or "=" in "".join(words[at + 1 : at + 2]) else 3
        if name in self.values:
            return 2
        return 1 if name in self.flags else None

    def end_of(self, words: Sequence[str]) -> tuple[int, bool]:
        """The end of the launcher's options, and whether all of them were known; if not, the word there may be a
        value."""
        at = 0
        while at < len(words) and words[at].startswith("-") and words[at] not in {"-", "--"}:
            count = self.takes(words, at)
            if count is None:
                return at, False
            at += count
        return min(at + (words[at : at + 1] == ["--"]), len(words)), True

    def _letters(self, letters: str) -> int | None:
        for index, letter in enumerate(letters):
            if letter in self.values:
                return 1 if letters[index + 1 :] else 2
            if letter not in self.flags:
                return None
            if letter in _OPTIONAL_LETTERS:
                return 1
        return 1

    def _whole(self, name: str) -> str:
        """The option that an abbreviation stands for; the word itself if it is none, or stands for several."""
        known = self.values | self.flags
        longer = [option for option in known if option.startswith(name) and len(option) > 1]
        return longer[0] if name not in known and len(longer) == 1 else name


_OPTIONAL_LETTERS = frozenset("IKk")  # srun's: what follows in the word is the value
