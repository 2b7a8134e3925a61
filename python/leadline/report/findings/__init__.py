"""Decides what is worth looking at in a run, in this place only. Rules are a file each, found by their folder, most
important first."""

from __future__ import annotations

import sys

from leadline.report.content import Content
from leadline.report.finding import Finding, Rule
from leadline.report.registry import parts_of

RULES = parts_of(sys.modules[__name__], "RULE", Rule)


def findings_of(content: Content) -> list[Finding]:
    """The findings of a run: first what no figure can be read without, then what costs time, the most first, then
    others by their rules' order. If the run ended at its start, only those in the verdict: shares would have nothing
    to refer to."""
    rules = [rule for rule in RULES if rule.in_verdict or not content.ended_at_start.all_ranks]
    found = [finding for rule in rules for finding in rule.look(content)]
    return sorted(found, key=_place)


def _place(finding: Finding) -> tuple[int, float]:
    if finding.in_verdict or finding.severity != "notice":
        return 0, 0.0
    return (1, -finding.cost_s) if finding.cost_s is not None else (2, 0.0)
