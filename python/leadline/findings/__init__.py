"""Decides what is worth looking at in a run, in this place only. Rules are a file each, found by their folder
(`rules/`), most important first."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.findings import rules
from leadline.findings.finding import Finding, Rule
from leadline.registry import parts_of

RULES = parts_of(rules, "RULE", Rule)


def findings_of(content: Content) -> list[Finding]:
    """The findings of a run: first what no figure can be read without, then what costs time, the most first, then
    others by their rules' order. If the run ended at its start, only those in the verdict: shares would have nothing
    to refer to."""
    looking = [rule for rule in RULES if rule.in_verdict or not content.ended_at_start.all_ranks]
    found = [finding for rule in looking for finding in rule.look(content)]
    return sorted(found, key=_place)


def _place(finding: Finding) -> tuple[int, float]:
    if finding.in_verdict or finding.severity != "notice":
        return 0, 0.0
    return (1, -finding.cost_s) if finding.cost_s is not None else (2, 0.0)
