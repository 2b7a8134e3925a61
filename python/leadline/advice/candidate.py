"""A change that somebody could make to the program, before it is replayed; and the kinds of such changes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from leadline.figures.content import Content
from leadline.figures.run import Site
from leadline.predict import Algorithm, AnyChange


@dataclass(frozen=True)
class Candidate:
    """A change that the figures suggest, before it is replayed.

    title: what to do and where, in a few words.   text: how, a sentence or two.   change: the same to the replay.
    also: what the change brings with it, to the replay.
    parts: changes of the same kind that it consists of, each of which can be made by itself.
    degrees: the same change made less far, of which the one that gains most is proposed.   segments: messages to a
    partner that are left.
    assumes: what the record cannot show, sentences.   together: calls, messages or outputs that become one; 0: unknown.
    shape: which of its kind's sketches shows it, where there are several.
    most_s: that the calls which are not made can take on a rank of a run that is not recorded.
    """

    kind: str
    title: str
    text: str
    sites: tuple[Site, ...]
    change: AnyChange | Algorithm
    assumes: tuple[str, ...] = ()
    together: int = 0
    also: tuple[AnyChange | Algorithm, ...] = ()
    parts: tuple[Candidate, ...] = ()
    degrees: tuple[Candidate, ...] = ()
    segments: int = 1
    shape: str = ""
    most_s: float = math.inf

    @property
    def changes(self) -> tuple[AnyChange | Algorithm, ...]:
        return (self.change, *self.also)


Gains = Callable[[AnyChange | Algorithm], float | None]
"""The share of the run's time that a change gains in the network that was asked for; None if it cannot be made."""


@dataclass(frozen=True)
class Kind:
    """A kind of proposal.   candidates: what the figures of a run suggest.   in_network: what a network suggests, where
    one was asked for.   patterns: of communication and I/O, by name, that are about the same."""

    id: str
    order: int
    candidates: Callable[[Content], list[Candidate]]
    findings: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    in_network: Callable[[Content, Gains], list[Candidate]] | None = None
