"""Grids of ranks: how those of a run are arranged, and how those of another number would be.

The rank of coordinates (c0, c1, ...) is c0 * p1 * p2 ... + c1 * p2 ... + ..., so that the last one counts first. A rule
gives the extents for any number of ranks: those for which a weighted sum of extents is least, as programs choose that
cut as few faces as they can, or one extent stays as it is. Programs whose rule is another one are told by `--grid`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

WEIGHTS = (1.0, 1.001, 0.999, *(w for k in (1.3, 1.5, 1.9, 2.1, 3, 4.1, 6, 8.1, 12, 16.1, 64.1) for w in (k, 1 / k)))


def factorised(size: int, dimensions: int) -> Iterator[tuple[int, ...]]:
    if dimensions == 1:
        yield (size,)
        return
    for first in range(1, size + 1):
        if size % first == 0:
            for rest in factorised(size // first, dimensions - 1):
                yield (first, *rest)


def coordinates(rank: int, extents: tuple[int, ...]) -> tuple[int, ...]:
    found = []
    for extent in reversed(extents):
        rank, at = divmod(rank, extent)
        found.append(at)
    return tuple(reversed(found))


def rank_at(at: Iterable[int], extents: tuple[int, ...]) -> int:
    rank = 0
    for place, extent in zip(at, extents, strict=True):
        rank = rank * extent + place
    return rank


@dataclass(frozen=True)
class Rule:
    """weights: the sum of extents times these is least; equal ones: the first is smallest.   fixed: an extent by its
    number, the others follow.   given: extents by number of ranks, whatever the rule says."""

    dimensions: int
    weights: tuple[float, ...] = ()
    fixed: tuple[tuple[int, int], ...] = ()
    given: tuple[tuple[int, tuple[int, ...]], ...] = ()

    def extents(self, size: int) -> tuple[int, ...] | None:
        for known, extents in self.given:
            if known == size:
                return extents
        if self.dimensions == 1:
            return (size,)
        found = [e for e in factorised(size, self.dimensions) if all(e[k] == n for k, n in self.fixed)]
        weights = self.weights or (1.0,) * self.dimensions
        return min(found, key=lambda e: (round(sum(map(math.prod, zip(weights, e, strict=True))), 9), e), default=None)

    def sentence(self, size: int) -> str:
        return " x ".join(map(str, self.extents(size) or ()))


def rules(recorded: dict[int, list[tuple[int, ...]]]) -> list[Rule]:
    """Rules of two or three dimensions by which all recorded numbers of ranks get one of the extents that fit. Those
    of equal extents for all sizes are one."""
    dimensions = len(next(iter(recorded.values()))[0])
    candidates = [
        Rule(dimensions, (1.0, *weights)[:dimensions]) for weights in itertools.product(WEIGHTS, repeat=dimensions - 1)
    ]
    for number in range(dimensions):
        kept = {extents[number] for several in recorded.values() for extents in several}
        candidates += [Rule(dimensions, (), ((number, extent),)) for extent in sorted(kept)]
    return [rule for rule in candidates if all(rule.extents(p) in fitting for p, fitting in recorded.items())]
