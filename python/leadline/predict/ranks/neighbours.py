"""Lists of neighbours that each rank goes through: shorter at the edges of the grid, and with each partner once where
several directions lead to it, as across two columns that close around."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leadline.predict.ranks.forms import Model, Point
from leadline.predict.ranks.grids import coordinates, rank_at

Direction = tuple[int, ...]
Entry = tuple[int, tuple[Direction, ...]]  # a partner, and the directions that lead to it
Fit = Callable[[Sequence[Point], Sequence[int]], "Model[int] | None"]


@dataclass(frozen=True)
class Neighbours:
    """directions: in their order.   around: dimensions that close.   merged: each partner once, in the order of ranks.
    itself: also where a dimension of one rank closes, so that its neighbour is the rank itself."""

    directions: tuple[Direction, ...]
    around: tuple[bool, ...]
    merged: bool
    itself: bool = False

    def entries(self, point: Point) -> tuple[Entry, ...]:
        return _entries(self, point.size, point.rank, point.extents)

    def _entries(self, point: Point) -> list[Entry]:
        found: list[Entry] = [
            (partner, (d,))
            for d in self.directions
            if (partner := target(point, d, self.around)) is not None and (self.itself or partner != point.rank)
        ]
        if not self.merged:
            return found
        by: dict[int, list[Direction]] = {}
        for partner, (direction,) in found:
            by.setdefault(partner, []).append(direction)
        return [(partner, tuple(by[partner])) for partner in sorted(by)]

    @property
    def form(self) -> str:
        sides = " ".join(",".join(f"{by:+d}" if by else "0" for by in d) for d in self.directions)
        words = f"neighbours {sides}"
        closed = [f"p{k}" for k, closes in enumerate(self.around) if closes]
        return f"{words}, around along {' and '.join(closed)}" if closed else words


@functools.lru_cache(maxsize=1 << 16)
def _entries(of: Neighbours, size: int, rank: int, extents: tuple[int, ...]) -> tuple[Entry, ...]:
    return tuple(of._entries(Point(size, rank, extents, coordinates(rank, extents))))


def target(point: Point, direction: Direction, around: Sequence[bool]) -> int | None:
    to = []
    for at, by, extent, closes in zip(point.at, direction, point.extents, around, strict=True):
        place = at + by
        if not 0 <= place < extent:
            if not closes:
                return None
            place %= extent
        to.append(place)
    return rank_at(to, point.extents)


def neighbours_of(points: Sequence[Point], partners: Sequence[Sequence[int]]) -> Neighbours | None:
    """partners: of each rank, in their order."""
    dimensions = len(points[0].extents)
    everywhere = sorted(itertools.product((-1, 0, 1), repeat=dimensions), key=lambda d: (sum(map(abs, d)), d))
    for around in itertools.product((False, True), repeat=dimensions):
        for merged, itself in ((False, False), (True, False), (False, True)):
            found = _of(points, partners, [d for d in everywhere if any(d)], around, merged, itself)
            if found is not None:
                return found
    return None


def may_close(
    found: Neighbours, points: Sequence[Point], partners: Sequence[Sequence[int]], known: Sequence[bool] = ()
) -> int | None:
    """A dimension of at most two ranks in all runs, whose ends may be neighbours: the lists are the same with it.
    known: of each dimension, whether they are, if it was recorded."""
    for k, closes in enumerate(found.around):
        if known and not known[k]:
            continue
        if closes or max(p.extents[k] for p in points) != 2 or not any(d[k] for d in found.directions):
            continue
        around = tuple(c or j == k for j, c in enumerate(found.around))
        if _holds(Neighbours(found.directions, around, True), points, partners):
            return k
    return None


def _of(
    points: Sequence[Point],
    partners: Sequence[Sequence[int]],
    directions: Sequence[Direction],
    around: tuple[bool, ...],
    merged: bool,
    itself: bool,
) -> Neighbours | None:
    used = []
    for direction in directions:
        targets = [target(point, direction, around) for point in points]
        if not itself:
            targets = [None if to == point.rank else to for to, point in zip(targets, points, strict=True)]
        if any(to is not None for to in targets) and all(
            to is None or to in own for to, own in zip(targets, partners, strict=True)
        ):
            used.append(direction)
    if not used:
        return None
    if merged:
        found = Neighbours(tuple(used), around, True)
        return found if _holds(found, points, partners) else None
    order = _order(points, partners, used, around)
    found = Neighbours(tuple(order), around, False, itself)
    return found if order and _holds(found, points, partners) else None


def _holds(found: Neighbours, points: Sequence[Point], partners: Sequence[Sequence[int]]) -> bool:
    return all(
        [partner for partner, _ in found.entries(point)] == list(own)
        for point, own in zip(points, partners, strict=True)
    )


def _order(
    points: Sequence[Point], partners: Sequence[Sequence[int]], used: Sequence[Direction], around: tuple[bool, ...]
) -> list[Direction]:
    """In which all ranks go through them; those that none shows come where the others leave them."""
    before: set[tuple[Direction, Direction]] = set()
    for point, own in zip(points, partners, strict=True):
        to = {d: target(point, d, around) for d in used}
        alone = [d for d in used if to[d] is not None and list(to.values()).count(to[d]) == 1]
        for one, other in itertools.permutations(alone, 2):
            if own.index(to[one]) < own.index(to[other]):
                before.add((one, other))
    order: list[Direction] = []
    left = list(used)
    while left:
        first = next((d for d in left if not any((o, d) in before for o in left if o != d)), None)
        if first is None:
            return []
        order.append(first)
        left.remove(first)
    return order


def value_model(
    found: Neighbours, points: Sequence[Point], values: Sequence[Sequence[int]], fit: Fit, adds: bool
) -> Model[int] | None:
    """Of an entry: the sum over its directions, or the value of the first. The points of the model have the entry's
    number as their last index. values: of each rank's entries."""
    distinct = {value for own in values for value in own}
    if len(distinct) == 1 and min(distinct) <= 0:  # nothing, or unknown
        same = distinct.pop()
        return Model(lambda _: same, f"{same:,}", constant=True)
    by: dict[Direction, tuple[list[Point], list[int]]] = {d: ([], []) for d in found.directions}
    several: list[tuple[Point, tuple[Direction, ...], int]] = []
    for point, own in zip(points, values, strict=True):
        for (_, directions), value in zip(found.entries(point), own, strict=True):
            alike = len({tuple(map(abs, d)) for d in directions}) == 1 and value % len(directions) == 0
            if not adds or alike:  # to either side along a dimension of two ranks goes as much
                for direction in directions if adds else directions[:1]:
                    by[direction][0].append(point)
                    by[direction][1].append(value // len(directions) if adds else value)
            if adds and len(directions) > 1:
                several.append((point, directions, value))
    models: dict[Direction, Model[int]] = {}
    for direction, (some, numbers) in by.items():
        if some:
            model = fit(some, numbers)
            if model is None:
                return None
            models[direction] = model
    if not adds and len(models) < len(by):
        models |= {d: next(iter(models.values())) for d in by if d not in models}
    if len(models) < len(by) or any(
        sum(models[d].of(point) for d in directions) != value for point, directions, value in several
    ):
        return None

    def of(point: Point) -> int:
        outside = Point(point.size, point.rank, point.extents, point.at, point.indices[:-1])
        directions = found.entries(outside)[point.indices[-1][0]][1]
        return sum(models[d].of(outside) for d in (directions if adds else directions[:1]))

    forms = dict.fromkeys(model.form for model in models.values())
    error = max(model.error for model in models.values())
    constant = len(forms) == 1 and all(model.constant for model in models.values())
    return Model(of, " | ".join(forms), error, all(m.sure for m in models.values()), constant)
