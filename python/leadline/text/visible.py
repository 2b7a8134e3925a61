"""Text that comes from elsewhere (names, paths, settings, messages of tools), written so that a terminal only shows it.

Control characters would be obeyed by the terminal, bidirectional marks reorder what stands around them, and a lone
surrogate is a byte of a name that is no text; each is shown by its number: \\x1b, \\u202e, \\xff.
"""

from __future__ import annotations

import os
import re
from typing import Any

# Control characters; marks of direction and of layout that have no width; separators of lines; lone surrogates; tags.
# Not the joiners U+200C and U+200D, which words of living languages need.
_HIDDEN = (
    "\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff"
)
_IN_A_LINE = re.compile(f"[{_HIDDEN}\n]")
_IN_LINES = re.compile(f"[{_HIDDEN}]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LONE = re.compile("[\ud800-\udfff]")
NUMBERS = {int, float, bool, type(None)}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def visible(text: str) -> str:
    """One line: a newline becomes \\n, too."""
    return text if text.isprintable() else _IN_A_LINE.sub(_by_number, text)


def visible_lines(text: str) -> str:
    """As `visible`, but newlines stay."""
    return text if text.isprintable() else _IN_LINES.sub(_by_number, text)


def without_surrogates(text: str) -> str:
    """As it is, except for bytes that are no text: what a UTF-8 file can hold."""
    return text if text.isascii() else _LONE.sub(_by_number, text)


def in_shell(word: str) -> str:
    """A word as a shell takes it; bash, zsh and ksh also if it holds bytes that a terminal may not get."""
    if word.isprintable():
        import shlex

        return shlex.quote(word)
    return "$'" + "".join(_in_dollar_quotes(letter) for letter in word) + "'"


def cell(text: str) -> str:
    """A text as a field of CSV: spreadsheets would take what begins like a formula for one, were it not for the '."""
    shown = visible(text)
    return f"'{shown}" if text.startswith(_FORMULA) else shown


def strings_in(value: Any, change: Any) -> Any:
    """What JSON can hold, with `change` applied to each string, keys included. Lists of numbers stay the same."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {
            change(key) if isinstance(key, str) else key: each if type(each) in NUMBERS else strings_in(each, change)
            for key, each in value.items()
        }
    if isinstance(value, list | tuple):
        if set(map(type, value)) <= NUMBERS:  # a column
            return value
        return [strings_in(each, change) for each in value]
    return value


def _by_number(match: re.Match[str]) -> str:
    letter = match[0]
    code = ord(letter)
    if letter in _SHORT:
        return _SHORT[letter]
    if 0xDC80 <= code <= 0xDCFF:  # a byte, as Python decodes file names
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _in_dollar_quotes(letter: str) -> str:
    if letter in "'\\":
        return f"\\{letter}"
    if visible(letter) == letter or letter in _SHORT:
        return visible(letter)
    return "".join(f"\\x{byte:02x}" for byte in os.fsencode(letter))  # \\u means nothing to bash in the locale C
