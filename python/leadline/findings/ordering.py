"""The order of findings: first what costs most; of what costs about as much, first what is most certain.

Times differ from run to run, and so do costs. What a finding is made of does not: a pattern is seen in the calls, and a
rank that computes longest in every iteration does so in every run. If findings followed their costs alone, equal runs
would lead with different ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from leadline.figures.content import Content
from leadline.findings.finding import Finding

# Part of a cost that another, equal run may have less of.
VARIES = 0.35
AS_MUCH = " The next finding costs about as much."
FROM_CALLS, FROM_TIMES, FROM_CHANCE = range(3)  # how certain a finding is
# Patterns that calls would not show without their times.
TIMED = ("allreduce_bound", "no_overlap", "unexpected_large", "polling")
ALWAYS = ("fixed", "host")  # kinds of uneven computation: the same ranks in every iteration


def disturbed_s(content: Content) -> float:
    """At most this much of all ranks' time is lost because a rank waited for a core, which no program does by itself:
    all others may have waited for it. 0 if the system does not report it."""
    waited_s = sum(max(process.conditions.waited_ns, 0.0) for process in content.run.processes) * 1e-9
    return waited_s * max(len(content.ranks) - 1, 0)


def certainty(finding: Finding) -> int:
    told = finding.evidence
    if finding.id == "imbalance":
        return FROM_CALLS if told["kind"] in ALWAYS else FROM_CHANCE
    if finding.id == "waiting":
        return FROM_TIMES  # whether it has one cause may differ from run to run
    # A loop that computes between its messages may be one of steps, each of which needs the one before.
    return FROM_TIMES if told.get("pattern") in TIMED or told.get("computes") else FROM_CALLS


def is_timed(finding: Finding) -> bool:
    """Whether times alone show it, which the machine has its part in."""
    if finding.id == "imbalance":
        return finding.evidence["kind"] not in ALWAYS
    return finding.id == "waiting" or finding.evidence.get("pattern") in TIMED


def least_s(finding: Finding, disturbed_s: float) -> float:
    """What the finding costs at least in a run like this one, on a machine of its own."""
    cost_s = finding.cost_s or 0.0
    return max(cost_s * (1 - VARIES) - (disturbed_s if is_timed(finding) else 0.0), 0.0)


def in_order(found: Sequence[Finding], disturbed_s: float) -> list[Finding]:
    """Those of the verdict and what went wrong, then those with a cost, then the rest; each part after what it is a
    part of.   disturbed_s: what waits for cores explain of costs that times alone tell."""
    whole = [each for each in found if not each.part_of]
    first = [each for each in whole if each.in_verdict or each.severity != "notice"]
    costly = [each for each in whole if each not in first and each.cost_s is not None]
    rest = [each for each in whole if each not in first and each not in costly]
    ordered: list[Finding] = []
    for finding, said in [*_same(first), *_said_in_order(costly, disturbed_s), *_same(rest)]:
        ordered.append(said)
        ordered += [replace(each, part_of=said.text) for each in found if each.part_of == finding.text]
    texts = {each.text for each in whole}
    return [*ordered, *(each for each in found if each.part_of and each.part_of not in texts)]


def _same(findings: Sequence[Finding]) -> list[tuple[Finding, Finding]]:
    return [(each, each) for each in findings]


def by_cost(costly: Sequence[Finding], disturbed_s: float) -> list[Finding]:
    """Of those that may cost as much as any other one does at least, the most certain one, and so on. Which of equally
    certain ones leads follows from what they are, not from costs that the next run may have the other way round."""
    left = list(costly)
    ordered: list[Finding] = []
    while left:
        most = max(least_s(each, disturbed_s) for each in left)
        alike = [each for each in left if (each.cost_s or 0.0) >= most]
        first = min(alike, key=_by_certainty)
        if not ordered:
            as_certain = [each for each in alike if certainty(each) == certainty(first)]
            first = min((each for each in as_certain if _about_as_much(each, first)), key=_by_nature)
        ordered.append(first)
        left.remove(first)
    return ordered


def _about_as_much(finding: Finding, dearest: Finding) -> bool:
    return (finding.cost_s or 0.0) >= (dearest.cost_s or 0.0) * (1 - VARIES)


def _by_certainty(finding: Finding) -> tuple[int, float]:
    return certainty(finding), -(finding.cost_s or 0.0)


def _by_nature(finding: Finding) -> tuple[bool, str]:
    """Uneven computation first, which others may follow from."""
    told = finding.evidence
    words = [finding.id, *(str(told.get(name, "")) for name in ("pattern", "function", "routine", "where"))]
    return finding.id != "imbalance", " ".join(words)


def _said_in_order(costly: Sequence[Finding], disturbed_s: float) -> list[tuple[Finding, Finding]]:
    """Each as it was, and with what is to be said of the order."""
    ordered = by_cost(costly, disturbed_s)
    said = [
        replace(each, text=each.text + AS_MUCH) if (after.cost_s or 0.0) > (each.cost_s or 0.0) else each
        for each, after in pairwise(ordered)
    ]
    return list(zip(ordered, [*said, *ordered[-1:]], strict=True))
