"""A change that somebody could make to the program, and what it gains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from leadline.advice.sketches import Sketch, pitfalls_of
from leadline.figures.content import Content
from leadline.figures.json_entries import place_json
from leadline.figures.run import Site
from leadline.predict import AnyChange


@dataclass(frozen=True)
class Candidate:
    """A change that the figures suggest, before it is replayed.

    title: what to do and where, in a few words.   text: how, a sentence or two.   change: the same to the replay.
    assumes: what the record cannot show, sentences.   together: calls or messages that become one; 0: unknown.
    """

    kind: str
    title: str
    text: str
    sites: tuple[Site, ...]
    change: AnyChange
    assumes: tuple[str, ...] = ()
    together: int = 0


@dataclass(frozen=True)
class Gain:
    """As shares of the whole run's time; negative: it loses."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Proposal:
    """seconds: the gain in the run's duration.   phases_s: each phase with the change; None: unknown.
    sketch: of the code; None where there is none to show.
    """

    candidate: Candidate
    gain: Gain
    seconds: float
    phases_s: dict[str, float | None] = field(default_factory=dict)
    sketch: Sketch | None = None

    @property
    def pitfalls(self) -> tuple[str, ...]:
        """What can go wrong, sentences."""
        return pitfalls_of(self.candidate.kind)

    def is_worth(self, least: float) -> bool:
        """Whether it gains so much of the run's time, and surely something."""
        return self.gain.share >= least and self.gain.low > 0

    def as_data(self) -> dict[str, Any]:
        """The form that docs/tune/advise.md describes."""
        told = self.candidate
        return {
            "kind": told.kind,
            "title": told.title,
            "text": told.text,
            "gain": self.gain.share,
            "gain_low": self.gain.low,
            "gain_high": self.gain.high,
            "seconds": self.seconds,
            "phases": self.phases_s,
            "sites": [place_json(site) for site in told.sites],
            "assumes": list(told.assumes),
            "sketch": self.sketch.as_data() if self.sketch is not None else None,
            "pitfalls": list(self.pitfalls),
        }


@dataclass(frozen=True)
class Kind:
    """A kind of proposal.   candidates: what the figures of a run suggest.   patterns: of communication and I/O, by
    name, that are about the same."""

    id: str
    order: int
    candidates: Callable[[Content], list[Candidate]]
    findings: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
