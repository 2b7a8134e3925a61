"""A finding: a fact that the figures show, with its numbers and the bounds that they reach.

A rule gives the evidence, its bounds decide, and its sentence states the fact. Bounds are data: they are in the output
beside the evidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from leadline.figures.content import Content

Severity = Literal["error", "warning", "notice"]
Evidence = dict[str, Any]


@dataclass(frozen=True)
class Bound:
    """A condition for one number of the evidence: at least, at most, or more than a limit."""

    relation: Literal["at_least", "at_most", "more_than"]
    limit: float

    def reached(self, value: float | None) -> bool:
        """None stands for a number that the system does not report. It does not decide."""
        if value is None:
            return True
        if self.relation == "at_least":
            return value >= self.limit
        return value <= self.limit if self.relation == "at_most" else value > self.limit


def at_least(limit: float) -> Bound:
    return Bound("at_least", limit)


def at_most(limit: float) -> Bound:
    return Bound("at_most", limit)


def more_than(limit: float) -> Bound:
    return Bound("more_than", limit)


@dataclass(frozen=True)
class Finding:
    """text: one or two sentences.   section: the one with more detail.   in_verdict: whether the verdict states it.

    cost_s: time of all ranks that it costs, None if it is not about time.   help: what helps in general, or "".
    """

    id: str
    severity: Severity
    text: str
    evidence: Evidence
    threshold: Mapping[str, Bound]
    section: str
    in_verdict: bool
    cost_s: float | None = None
    help: str = ""

    def as_data(self) -> dict[str, Any]:
        """The form that docs/read/report.md describes. A ratio to 0 has no number in JSON and becomes null."""
        return {
            "id": self.id,
            "severity": self.severity,
            "text": self.text,
            "evidence": {name: _finite(value) for name, value in self.evidence.items()},
            "threshold": {name: {bound.relation: bound.limit} for name, bound in self.threshold.items()},
            "section": self.section,
            "in_verdict": self.in_verdict,
            "cost_s": self.cost_s,
            "help": self.help or None,
        }


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


@dataclass(frozen=True)
class Rule:
    """The definition of one finding.

    severity: "error": the run did not go as intended; "warning": the figures mislead without it; "notice": the figures
    stand out.
    evidence: its numbers; None if the run has none of the kind; a list if it may have several.   sentence: states them.
    threshold: bounds on numbers of the evidence; all must be reached.   order: most important first.
    in_verdict: whether the verdict begins with it, because no figure can be read without it.
    cost_s: seconds of all ranks that it costs; None: not known, or too little.   help: what helps in general.
    """

    id: str
    order: int
    severity: Severity
    section: str
    evidence: Callable[[Content], Evidence | list[Evidence] | None]
    sentence: Callable[[Content, Evidence], str]
    threshold: Mapping[str, Bound] = field(default_factory=dict)
    in_verdict: bool = False
    cost_s: Callable[[Evidence], float | None] | None = None
    help: Callable[[Evidence], str] | None = None

    def look(self, content: Content) -> list[Finding]:
        found = self.evidence(content)
        each = found if isinstance(found, list) else [found] if found is not None else []
        return [self._finding(content, evidence) for evidence in each if self.decides(evidence)]

    def _finding(self, content: Content, evidence: Evidence) -> Finding:
        return Finding(
            self.id,
            self.severity,
            self.sentence(content, evidence),
            evidence,
            self.threshold,
            self.section,
            self.in_verdict,
            self.cost_s(evidence) if self.cost_s is not None else None,
            self.help(evidence) if self.help is not None else "",
        )

    def decides(self, evidence: Evidence) -> bool:
        return all(bound.reached(evidence[name]) for name, bound in self.threshold.items())
