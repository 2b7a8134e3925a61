"""Runs side by side: what differs, most important first."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from leadline.compare.claims import Claim, claims_of
from leadline.compare.concerns import Changed, changed
from leadline.compare.environment import Difference, differences
from leadline.compare.explained import Portion, portions
from leadline.compare.in_common import in_common
from leadline.compare.scaling import Scaling, scaling
from leadline.compare.structure import Cause, causes, common_share
from leadline.compare.subject import Group, Subject
from leadline.compare.times import Metric, main_of, metrics
from leadline.errors import UsageError

LEAST_IN_COMMON = 0.3  # of the call sites of two programs with different names


@dataclass(frozen=True)
class Pair:
    """a: what all others are compared with."""

    a: Group
    b: Group

    @property
    def same_ranks(self) -> bool:
        return self.a.first.ranks == self.b.first.ranks

    @property
    def repeats(self) -> bool:
        return max(len(self.a.runs), len(self.b.runs)) > 1

    @functools.cached_property
    def causes(self) -> list[Cause]:
        return causes(self.a, self.b) if self.same_ranks else []

    @functools.cached_property
    def metrics(self) -> list[Metric]:
        return metrics(self.a, self.b)

    @functools.cached_property
    def differences(self) -> list[Difference]:
        return differences([[run.environment for run in group.runs] for group in (self.a, self.b)])

    @functools.cached_property
    def claims(self) -> list[Claim]:
        """What differs beyond the noise, what differs most first; empty: nothing does."""
        return claims_of(self.a, self.b, self.causes, self.metrics, self.differences)

    @functools.cached_property
    def portions(self) -> list[Portion]:
        """What the change of an iteration's mean time is made of, the largest first."""
        return portions(self.a, self.b) if self.same_ranks else []

    @functools.cached_property
    def concerns(self) -> Changed:
        return changed(self.a, self.b)

    @property
    def main(self) -> Metric:
        """What the verdict is about, and --fail-above."""
        return main_of(self.metrics)

    def slower_than(self, share: float) -> bool:
        """Whether b takes longer than a by more than that, beyond the noise: the whole interval lies above it. Only
        repeats can show that. One of two times is judged, each with a chance of 2.5 % to lie above by accident: 5 %
        together, so there is nothing to correct for."""
        ratio = self.main.ratio
        return ratio is not None and self.main.supported and ratio.low > 1 + share


@dataclass(frozen=True)
class Comparison:
    """limits: what the comparison leaves open, in sentences, because it includes other tools' profiles."""

    groups: Sequence[Group]
    limits: Sequence[str] = ()

    @functools.cached_property
    def pairs(self) -> list[Pair]:
        return [Pair(self.groups[0], other) for other in self.groups[1:]]

    @functools.cached_property
    def differences(self) -> list[Difference]:
        return differences([[run.environment for run in group.runs] for group in self.groups])

    @functools.cached_property
    def scaling(self) -> Scaling | None:
        return scaling(self.groups)


def compare(groups: Sequence[Group]) -> Comparison:
    """The first is what the others are compared with. Raises UsageError for runs that have nothing in common."""
    groups, limits = in_common(groups)
    first = groups[0].first
    for group in groups:
        for run in group.runs:
            if run.ranks != group.first.ranks:
                raise UsageError(
                    f"{group.name}: repeats with different numbers of ranks ({group.first.ranks} and {run.ranks})",
                    hint="repeats share one configuration; give the others as a separate group",
                )
            _check(first, run)
    return Comparison(groups, limits)


def _check(a: Subject, b: Subject) -> None:
    share = common_share(a, b)
    named_alike = a.program == b.program or not (a.program and b.program)
    if a is b or share >= LEAST_IN_COMMON or (named_alike and share > 0) or not (a.counted and b.counted):
        return
    what = "call sites" if a.sites and b.sites else "functions"
    raise UsageError(
        f"{a.name} and {b.name} ran different programs ({a.program or '?'} and {b.program or '?'}; "
        f"{share * 100:.0f} % of their {what} in common): not compared",
        hint="compare runs of the same program, or of versions with the same routine names",
    )
