"""What a change gains."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from leadline.advice.candidate import Candidate
from leadline.advice.sketches import Sketch, pitfalls_of
from leadline.figures.json_entries import place_json


@dataclass(frozen=True)
class Gain:
    """As shares of the whole run's time; negative: it loses.   recording: the replay gains so much more, of calls that
    recording made longer."""

    share: float
    low: float
    high: float
    recording: float = 0.0


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
