"""Findings that went and came from one group of runs to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadline.compare.subject import Concern, Group


@dataclass(frozen=True)
class Changed:
    """went: in every run of A and none of B.   came: the reverse.   What costs most comes first."""

    went: Sequence[Concern]
    came: Sequence[Concern]


def changed(a: Group, b: Group) -> Changed:
    return Changed(_only(a, b), _only(b, a))


def _only(here: Group, there: Group) -> list[Concern]:
    absent = {concern.key for run in there.runs for concern in run.concerns}
    always = set.intersection(*({concern.key for concern in run.concerns} for run in here.runs))
    found: dict[tuple[str, ...], Concern] = {}
    for concern in sorted(here.first.concerns, key=lambda concern: -(concern.cost_s or 0.0)):
        if concern.key in always - absent:
            found.setdefault(concern.key, concern)
    return list(found.values())
