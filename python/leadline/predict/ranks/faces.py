"""Sizes of messages between neighbours in a grid of ranks that share one box.

What a rank sends along a dimension is a face of its part of the box, which the other dimensions divide: the whole face
times the ranks along the dimension, over all ranks. Along two dimensions at once it is an edge, and so on. Runs on few
ranks do not show which dimensions divide a size: on grids of 2x2x1 and 2x2x2, the first may do so or the second. So if
the runs' grids are recorded, this form comes before others, for all messages of a call site, whichever way they go.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from leadline.predict.ranks.forms import Model, Point, equal_numbers
from leadline.predict.ranks.grids import coordinates
from leadline.predict.ranks.program import NoFit
from leadline.predict.ranks.recorded_tree import RecordedTree, Values

Moved = tuple[int, ...]  # dimensions along which partners differ
Grid = tuple[int, ...]  # ranks along each dimension

SIZES: dict[str, Callable[[Values], int]] = {
    "bytes posted": lambda v: v.posted,
    "bytes sent": lambda v: v.sent,
    "bytes received": lambda v: v.received,
}


@dataclass(frozen=True)
class Message:
    """Or what one receives.   size: in bytes."""

    extents: Grid
    rank: int
    partner: int
    size: int


def moved(rank: int, partner: int, extents: Grid) -> Moved:
    pairs = zip(coordinates(rank, extents), coordinates(partner, extents), strict=True)
    return tuple(k for k, (one, other) in enumerate(pairs) if one != other)


def _share(along: Moved, extents: Grid) -> float:
    return math.prod(extents[k] for k in along) / math.prod(extents)


def _words(along: Moved, joined: str) -> str:
    return joined.join(f"p{k}" for k in along)


@dataclass(frozen=True)
class Faces:
    """whole: by the dimensions that a message goes along, its size over its share.   checked: two shares or more show
    each of them; otherwise some have the form of the others."""

    whole: dict[Moved, float]
    checked: bool

    def model(self, name: Hashable, partner: Callable[[Point], int | None]) -> Model[int]:
        """name: of the call site, if it sends to where no recorded rank does."""

        def of(point: Point) -> int:
            to = partner(point)
            if to is None:
                return 0
            along = moved(point.rank, to, point.extents)
            if along not in self.whole:
                where = _words(along, " and ") or "no dimension"
                raise NoFit(name, f"no run has messages along {where} of the grid, so their sizes are unknown")
            return round(self.whole[along] * _share(along, point.extents))

        sizes = [f"{self.whole[along]:,.10g} {_words(along, ' ')}/P" for along in sorted(self.whole)]
        return Model(of, " | ".join(sizes), 0.0, self.checked)


def faces_of(messages: Iterable[Message]) -> Faces | None:
    """None: they are not of this form, or no two runs show that they are."""
    sizes: dict[Moved, dict[Grid, int]] = {}
    for one in messages:
        by_grid = sizes.setdefault(moved(one.rank, one.partner, one.extents), {})
        if by_grid.setdefault(one.extents, one.size) != one.size:
            return None
    whole: dict[Moved, float] = {}
    shown: list[Moved] = []
    for along, by_grid in sizes.items():
        largest = max(by_grid, key=math.prod)
        whole[along] = by_grid[largest] / _share(along, largest)
        if not all(equal_numbers(whole[along] * _share(along, grid), size) for grid, size in by_grid.items()):
            return None
        if len(set(by_grid.values())) > 1:
            shown.append(along)
    return Faces(whole, len(shown) == len(whole)) if shown else None


class FaceSizes:
    """Of the call sites of several runs, each in its grid."""

    def __init__(self, trees: Sequence[RecordedTree], extents: Sequence[Grid]) -> None:
        self.trees, self.extents = trees, extents
        self.known: dict[tuple[Hashable, int, str], Faces | None] = {}
        self.calls: dict[Hashable, list[tuple[int, int, int]]] = {}  # run, rank, leaf

    def of(self, name: Hashable, part: int, what: str) -> Faces | None:
        """part: its number among those that a call does not complete.   what: one of SIZES."""
        key = (name, part, what)
        if key not in self.known:
            self.known[key] = faces_of(self._messages(name, part, SIZES[what]))
        return self.known[key]

    def _messages(self, name: Hashable, part: int, size: Callable[[Values], int]) -> Iterator[Message]:
        for run, rank, number in self._calls_of(name):
            one = self.trees[run].ranks[rank]
            parts = self.trees[run].leaves[one.of_class][number].parts
            pairs = zip(parts, one.calls[number].parts, strict=True)
            values = [value for made, value in pairs if made.request != "completes"]
            if part < len(values) and (world := values[part].world) is not None and world >= 0:
                yield Message(self.extents[run], rank, world, size(values[part]))

    def _calls_of(self, name: Hashable) -> list[tuple[int, int, int]]:
        if not self.calls:
            for run, tree in enumerate(self.trees):
                for rank, one in enumerate(tree.ranks):
                    for number, leaf in enumerate(tree.leaves[one.of_class]):
                        self.calls.setdefault(leaf.name, []).append((run, rank, number))
        return self.calls.get(name, [])
