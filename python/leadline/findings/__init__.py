"""Decides what is worth looking at in a run; nothing else does. Rules are a file each, found by their folder
(`rules/`), most important first."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from leadline.figures.content import Content
from leadline.findings import rules
from leadline.findings.attribution import attributed
from leadline.findings.finding import Evidence, Finding, Rule
from leadline.findings.ordering import disturbed_s, in_order
from leadline.registry import parts_of
from leadline.text import format as fmt

ROUNDING = 1e-6
FAILS = "LEADLINE_FAIL_ON_CONTRADICTION"
"""Set in tests: a contradiction ends the command instead of being stated in its report."""
RULES = parts_of(rules, "RULE", Rule)
# With one of these, times say how the run was started rather than what the program does: no advice follows from them.
SPOIL_TIMES = ("separate-processes", "oversubscribed", "cores-taken")
_CAVEAT = "Times and shares below are not the program's own: the first lines say why. Counts are exact."


def findings_of(content: Content) -> list[Finding]:
    """The findings of a run: first what no figure can be read without, then what costs time (ordering.py), then others
    by their rules' order. If the run ended at its start, only those in the verdict: shares would have nothing to refer
    to. If times are spoiled, findings give no advice."""
    return list(content.once(_found))


def _found(content: Content) -> list[Finding]:
    sentences = {rule.id: rule.sentence for rule in RULES}
    looking = [rule for rule in RULES if rule.in_verdict or not content.ended_at_start.all_ranks]
    found = [finding for rule in looking for finding in rule.look(content)]
    impossible = [finding for finding in found if not is_possible(finding, content.time_s)]
    if impossible:
        found = [
            *(finding for finding in found if finding not in impossible),
            contradiction(impossible, content.time_s),
        ]
    found = attributed(content, found, lambda finding: sentences[finding.id](content, finding.evidence))
    spoiled = times_are_spoiled(found)
    if spoiled or content.run.ends_apart:
        found = [replace(finding, help="") for finding in found]
    return in_order(found, 0.0 if spoiled else disturbed_s(content))


def is_possible(finding: Finding, time_s: float) -> bool:
    """Whether it costs no more than there is, nor more of a part than that: what cannot be true is not stated.
    time_s: of all ranks."""
    return (finding.cost_s or 0.0) <= time_s * (1 + ROUNDING) and share_lost(
        finding.id, finding.evidence
    ) <= 1 + ROUNDING


def share_lost(rule: str, evidence: Evidence) -> float:
    """Of the run, or of a step: as its sentence says."""
    return float(evidence.get("share" if rule == "imbalance" else "lost_share") or 0.0)


class Contradiction(AssertionError):
    """A loss is greater than what it is a part of: Leadline is wrong, not the program."""


def contradiction(impossible: Sequence[Finding], time_s: float) -> Finding:
    """What a user reads in place of findings that cannot be true. Raises Contradiction where tests ask for that."""
    said = "; ".join(_what_it_costs(finding) for finding in impossible)
    if os.environ.get(FAILS):
        raise Contradiction(f"of {time_s:g} s of all ranks: {said} ({impossible[0].text})")
    left_out = fmt.plural(len(impossible), "finding is", "findings are")
    return Finding(
        "contradiction",
        "warning",
        f"{left_out} omitted, because Leadline's own figures contradict each other: {said}, but the time summed over "
        f"ranks is {fmt.seconds(time_s)}. Please report this.",
        {"left_out": [finding.id for finding in impossible], "time_s": time_s},
        {},
        "itself",
        in_verdict=False,
    )


def _what_it_costs(finding: Finding) -> str:
    share = share_lost(finding.id, finding.evidence)
    part = f" ({fmt.percent(share)} of a part of the run)" if share > 1 else ""
    return f"{finding.id} costs {finding.cost_s or 0.0:g} s{part}"


def times_are_spoiled(findings: Sequence[Finding]) -> bool:
    return any(finding.id in SPOIL_TIMES for finding in findings)


def caveat_of(findings: Sequence[Finding]) -> str | None:
    """What to bear in mind when the findings are read, or None: the verdict of such a run gives none of them."""
    return _CAVEAT if times_are_spoiled(findings) else None
