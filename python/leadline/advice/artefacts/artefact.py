"""A file that carries out a change without an edit of the program."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Artefact:
    """file: its name.   what: what it does, a sentence.   text: with how to use it, and how to see that it took effect,
    as comments."""

    file: str
    what: str
    text: str


@dataclass(frozen=True)
class NotMade:
    """A kind of file that the record gives no reason for."""

    what: str
    reason: str
