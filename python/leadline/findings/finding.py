"""A finding: a fact that the figures show, with its numbers and the bounds that they reach.

A rule gives facts: what the finding is about, and its evidence. Its bounds decide. Its sentence, made apart from the
facts, states them. Bounds are data: they are in the output beside the evidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from leadline.figures.content import Content
from leadline.figures.json_entries import place_json, rank_id
from leadline.figures.run import Site

Severity = Literal["error", "warning", "notice"]
Evidence = dict[str, Any]


@dataclass(frozen=True)
class Bound:
    """A condition for one number of the evidence: at least, at most, or more than a limit."""

    relation: Literal["at_least", "at_most", "more_than"]
    limit: float

    def reached(self, value: float | None) -> bool:
        """None is a number that the system does not report: it does not fail the condition."""
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
class LoopPlace:
    """A loop of the source, as far as its place is known. file, line: "" and 0 without debug information."""

    routine: str
    file: str
    line: int


def main_loop(content: Content) -> LoopPlace | None:
    """The loop whose iterations the report shows."""
    loop = content.iterations.loop if content.iterations is not None else None
    return LoopPlace(loop.routine, loop.file, loop.line) if loop is not None else None


@dataclass(frozen=True)
class About:
    """What a finding is about; empty if it is the run as a whole.

    sites: call sites, those with most time first.   ranks: labels of those that stand out: slow, late, busy, stopped.
    """

    sites: tuple[Site, ...] = ()
    loop: LoopPlace | None = None
    ranks: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    def and_also(self, other: About) -> About:
        """Of two facts that are one finding."""
        return About(
            tuple(dict.fromkeys((*self.sites, *other.sites))),
            self.loop or other.loop,
            tuple(dict.fromkeys((*self.ranks, *other.ranks))),
            tuple(dict.fromkeys((*self.files, *other.files))),
        )

    def as_data(self) -> dict[str, Any]:
        return {
            "sites": [place_json(site) for site in self.sites],
            "loop": {"routine": self.loop.routine, "file": self.loop.file or None, "line": self.loop.line or None}
            if self.loop is not None
            else None,
            "ranks": [rank_id(label) for label in self.ranks],
            "files": list(self.files),
        }


@dataclass(frozen=True)
class Fact:
    """What a rule has found, before its bounds decide."""

    evidence: Evidence
    about: About = About()


@dataclass(frozen=True)
class Finding:
    """text: one or two sentences.   section: the one with more detail.   in_verdict: whether the verdict states it.

    cost_s: time of all ranks that it costs beyond what other findings account for, None if it is not about time.
    help: what helps in general, or "".
    part_of: the text of the finding that has the same cause or is about the same calls, or "".
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
    about: About = About()
    part_of: str = ""

    def as_data(self) -> dict[str, Any]:
        """The form that docs/read/report.md describes. A ratio to 0 has no number in JSON and becomes null."""
        return {
            "id": self.id,
            "severity": self.severity,
            "text": self.text,
            "about": self.about.as_data(),
            "evidence": {name: _finite(value) for name, value in self.evidence.items()},
            "threshold": {name: {bound.relation: bound.limit} for name, bound in self.threshold.items()},
            "section": self.section,
            "in_verdict": self.in_verdict,
            "cost_s": self.cost_s,
            "help": self.help or None,
            "part_of": self.part_of or None,
        }


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


@dataclass(frozen=True)
class Rule:
    """The definition of one finding.

    severity: "error": the run did not go as intended; "warning": the figures mislead without it; "notice": the figures
    stand out.
    facts: each with its numbers and what it is about; none if the run has nothing of the kind.
    sentence: states the numbers.
    threshold: bounds on numbers of the evidence; all must be reached.   order: most important first.
    in_verdict: whether the verdict begins with it, because no figure can be read without it.
    cost_s: seconds of all ranks that it costs; None: unknown, or too little.   help: what helps in general.
    """

    id: str
    order: int
    severity: Severity
    section: str
    facts: Callable[[Content], Fact | list[Fact] | None]
    sentence: Callable[[Content, Evidence], str]
    threshold: Mapping[str, Bound] = field(default_factory=dict)
    in_verdict: bool = False
    cost_s: Callable[[Evidence], float | None] | None = None
    help: Callable[[Evidence], str] | None = None

    def look(self, content: Content) -> list[Finding]:
        found = self.facts(content)
        each = found if isinstance(found, list) else [found] if found is not None else []
        return [self._finding(content, fact) for fact in each if self.decides(fact.evidence)]

    def _finding(self, content: Content, fact: Fact) -> Finding:
        evidence = fact.evidence
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
            fact.about,
        )

    def decides(self, evidence: Evidence) -> bool:
        return all(bound.reached(evidence[name]) for name, bound in self.threshold.items())
