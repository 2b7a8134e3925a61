"""The prediction beside what a run of the changed program took, and why they differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leadline import predict
from leadline.advice.advise import Advice
from leadline.advice.proposal import Proposal
from leadline.errors import UsageError
from leadline.figures.content import Content
from leadline.figures.run import Run
from leadline.text import format as fmt

DIFFERS = 0.02  # of the run's time: from here on a part's change is worth a word
CHANGES_COMPUTATION = ("balance",)  # kinds of proposals


@dataclass(frozen=True)
class Measured:
    """A run, in seconds.   phases: means over the ranks; None: unknown.   parts: where the time went (computation,
    waiting, ...), as means over the ranks."""

    seconds: float
    phases: dict[str, float | None]
    parts: dict[str, float]


@dataclass(frozen=True)
class Check:
    """The run that the advice is about, and one of the changed program."""

    before: Measured
    after: Measured

    @property
    def gain(self) -> float:
        return 1 - self.after.seconds / self.before.seconds if self.before.seconds > 0 else 0.0

    def holds(self, proposal: Proposal) -> bool:
        """Whether the measured gain lies in the proposal's interval."""
        return proposal.gain.low <= self.gain <= proposal.gain.high

    def unforeseen(self, proposal: Proposal) -> float | None:
        """By what factor computation changed although the change was not to touch it; None: hardly, or it was."""
        before, after = (run.parts.get("computation", 0.0) for run in (self.before, self.after))
        if proposal.candidate.kind in CHANGES_COMPUTATION or before <= 0:
            return None
        return after / before if abs(after - before) > DIFFERS * self.before.seconds else None

    def as_data(self, advice: Advice) -> dict[str, Any]:
        return {
            "seconds_before": self.before.seconds,
            "seconds_after": self.after.seconds,
            "gain": self.gain,
            "phases_before": self.before.phases,
            "phases_after": self.after.phases,
            "parts_before": self.before.parts,
            "parts_after": self.after.parts,
            "in_interval": [self.holds(proposal) for proposal in advice.proposals],
            "computation_changed": [self.unforeseen(proposal) for proposal in advice.proposals],
        }


def check(before: Run, after: Run) -> Check:
    """Raises UsageError if one of the runs did not reach its end, or if their times say nothing about the program."""
    for run in (before, after):
        if not run.complete:
            raise UsageError(f"{run.path}: the run is not complete, so its time is unknown")
        if reason := predict.why_spoiled(run):
            raise UsageError(f"{run.path}: {reason}")
    if len(before.processes) != len(after.processes):
        raise UsageError(
            f"{after.path} has {fmt.plural(len(after.processes), 'rank')}, {before.path} has {len(before.processes)}"
        )
    return Check(_measured(before), _measured(after))


def _measured(run: Run) -> Measured:
    content = Content(run)
    parts: dict[str, float] = {part.kind: part.time_s / len(run.processes) for part in content.time_parts}
    return Measured(run.duration_s, predict.recorded_phases(run), parts)
