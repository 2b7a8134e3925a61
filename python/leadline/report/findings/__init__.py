"""What is worth looking at in a run, decided here only: a rule a file, found by folder, weightiest first."""

from __future__ import annotations

import sys

from leadline.report.content import Content
from leadline.report.finding import Finding, Rule
from leadline.report.registry import parts_of

RULES = parts_of(sys.modules[__name__], "RULE", Rule)


def findings_of(content: Content) -> list[Finding]:
    """Of a run that ended at its start, only what the verdict says: there is nothing that a share could be of."""
    rules = [rule for rule in RULES if rule.in_verdict or not content.ended_at_start.all_ranks]
    return [finding for rule in rules if (finding := rule.look(content)) is not None]
