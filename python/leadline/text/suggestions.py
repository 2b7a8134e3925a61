"""What somebody may have meant by a word that is none of those expected."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

ALIKE = 0.6  # of the letters, by difflib's measure: one or two typing errors in a short word


def meant(word: str, known: Iterable[str]) -> str:
    """The known word that resembles it most; "" if none does."""
    found = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=ALIKE)
    return found[0] if found else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question to end a message with, or ""."""
    found = meant(word, known)
    return f"did you mean {found}?" if found else ""


def available(word: str, known: Iterable[str]) -> str:
    """All that could have been meant, the likeliest first as a question."""
    words = list(known)
    question, all_ = did_you_mean(word, words), ", ".join(words)
    return f"{question} Available: {all_}" if question else f"available: {all_}"
