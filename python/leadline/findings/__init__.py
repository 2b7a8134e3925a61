"""Decides what is worth looking at in a run, in this place only. Rules are a file each, found by their folder
(`rules/`), most important first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leadline.figures.content import Content
from leadline.findings import rules
from leadline.findings.finding import Finding, Rule
from leadline.registry import parts_of

ROUNDING = 1e-6
RULES = parts_of(rules, "RULE", Rule)
# With one of these, times say how the run was started rather than what the program does: no advice follows from them.
SPOIL_TIMES = ("separate-processes", "oversubscribed", "cores-taken")


def findings_of(content: Content) -> list[Finding]:
    """The findings of a run: first what no figure can be read without, then what costs time, the most first, then
    others by their rules' order. If the run ended at its start, only those in the verdict: shares would have nothing
    to refer to. Where times are spoiled, no finding has advice."""
    looking = [rule for rule in RULES if rule.in_verdict or not content.ended_at_start.all_ranks]
    found = [finding for rule in looking for finding in rule.look(content)]
    found = [finding for finding in found if is_possible(finding, content.time_s)]
    if times_are_spoiled(found):
        found = [replace(finding, help="") for finding in found]
    return sorted(found, key=_place)


def is_possible(finding: Finding, time_s: float) -> bool:
    """Whether it costs no more than there is: a figure that cannot be true is not stated. time_s: of all ranks."""
    return finding.cost_s is None or finding.cost_s <= time_s * (1 + ROUNDING)


def times_are_spoiled(findings: Sequence[Finding]) -> bool:
    return any(finding.id in SPOIL_TIMES for finding in findings)


def _place(finding: Finding) -> tuple[int, float]:
    if finding.in_verdict or finding.severity != "notice":
        return 0, 0.0
    return (1, -finding.cost_s) if finding.cost_s is not None else (2, 0.0)
