"""Partners of messages and members of communicators, as functions of the rank."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from leadline.predict.ranks.forms import Condition, Model, Point, fit
from leadline.predict.ranks.grids import coordinates, rank_at

Members = tuple[int, ...]


@dataclass(frozen=True)
class Place:
    """Of a rank in a communicator."""

    point: Point
    own: int
    size: int
    members: Members


Partner = Callable[[Place], "int | None"]  # the partner's number among the members; None: MPI_PROC_NULL


def _within(at: int, size: int) -> int | None:
    return at if 0 <= at < size else None


def _shifts(one: Place, partner: int) -> Iterator[tuple[str, Partner]]:
    away = partner - one.own
    for by in sorted({away, away + one.size, away - one.size}, key=abs):
        yield f"rank {by:+d}", lambda p, by=by: _within(p.own + by, p.size)  # type: ignore[misc]
        yield f"rank {by:+d} around", lambda p, by=by: (p.own + by) % p.size  # type: ignore[misc]


def _neighbours(one: Place, partner: int) -> Iterator[tuple[str, Partner]]:
    extents, at = one.point.extents, one.point.at
    if len(extents) < 2 or one.size != one.point.size:
        return
    other = coordinates(one.members[partner], extents)
    choices = []
    for k, extent in enumerate(extents):
        away = other[k] - at[k]
        choices.append(sorted({away, away - extent, away + extent} & {-2, -1, 0, 1, 2} or {away}, key=abs))
    for offsets in itertools.product(*choices):
        moved = [k for k, by in enumerate(offsets) if by]
        for around in itertools.product((False, True), repeat=len(moved)):
            wraps = dict(zip(moved, around, strict=True))

            def of(p: Place, offsets: tuple[int, ...] = offsets, wraps: dict[int, bool] = wraps) -> int | None:
                to = []
                for k, by in enumerate(offsets):
                    place, extent = p.point.at[k] + by, p.point.extents[k]
                    if not 0 <= place < extent:
                        if not wraps[k]:
                            return None
                        place %= extent
                    to.append(place)
                return rank_at(to, p.point.extents)

            words = ", ".join(f"{offsets[k]:+d}{' around' if wraps[k] else ''} along p{k}" for k in moved)
            yield words or "itself", of


def _of_iterations(one: Place) -> Iterator[tuple[str, Partner]]:
    for level in range(1, len(one.point.indices) + 1):

        def i(p: Place, n: int = level) -> int:
            return p.point.indices[-n][0]

        yield "iteration", lambda p, i=i: _within(i(p), p.size)  # type: ignore[misc]
        yield "iteration + 1", lambda p, i=i: _within(i(p) + 1, p.size)  # type: ignore[misc]
        yield "each other rank", lambda p, i=i: _within(i(p) + (i(p) >= p.own), p.size)  # type: ignore[misc]
        for by in (0, 1):
            yield "rank + iteration", lambda p, i=i, b=by: (p.own + i(p) + b) % p.size  # type: ignore[misc]
            yield "rank - iteration", lambda p, i=i, b=by: (p.own - i(p) - b) % p.size  # type: ignore[misc]
            yield "rank xor iteration", lambda p, i=i, b=by: _within(p.own ^ (i(p) + b), p.size)  # type: ignore[misc]
        yield "rank xor 2^iteration", lambda p, i=i: _within(p.own ^ (1 << i(p)), p.size)  # type: ignore[misc]
        yield "rank xor P/2^iteration", lambda p, i=i: _within(p.own ^ (p.size >> (i(p) + 1)), p.size)  # type: ignore[misc]
        for around in (False, True):
            for sign in (1, -1):

                def of(p: Place, i: Callable[[Place], int] = i, a: bool = around, s: int = sign) -> int | None:
                    at = p.own + s * (1 << i(p))
                    return at % p.size if a else _within(at, p.size)

                yield "rank ± 2^iteration", of
        yield "last - iteration", lambda p, i=i: _within(p.size - 1 - i(p), p.size)  # type: ignore[misc]


def _candidates(places: Sequence[Place], partners: Sequence[int | None]) -> Iterator[tuple[str, Partner]]:
    known = [(place, partner) for place, partner in zip(places, partners, strict=True) if partner is not None]
    if not known:
        yield "none", lambda _: None
        return
    one, partner = max(known, key=lambda each: (each[0].size, max(each[0].point.extents)))
    yield f"rank {partner}", lambda p: _within(partner, p.size)
    yield "the last rank", lambda p: p.size - 1
    yield from _shifts(one, partner)
    yield from _neighbours(one, partner)
    for place, other in known:  # of another rank, where the first one wraps around
        if place.size == one.size and place is not one:
            yield from _shifts(place, other)
            yield from _neighbours(place, other)
            break
    yield from _of_iterations(one)
    yield "rank xor a power of two", lambda p, x=one.own ^ partner: _within(p.own ^ x, p.size)  # type: ignore[misc]
    yield "rank + P/2", lambda p: (p.own + p.size // 2) % p.size
    yield "last - rank", lambda p: p.size - 1 - p.own
    if len(one.point.extents) == 2:
        yield "the transposed place", _transposed


def _transposed(p: Place) -> int | None:
    extents = p.point.extents
    return rank_at(p.point.at[::-1], extents) if extents[0] == extents[1] and p.size == p.point.size else None


def partner_model(
    points: Sequence[Point],
    members: Sequence[Members],
    of_members: Callable[[Point], Members],
    worlds: Sequence[int | None],
) -> Model[int | None] | None:
    """worlds: partners in MPI_COMM_WORLD.   of_members: as communicators are extrapolated."""
    places: dict[int, Place] = {}
    for point, all_of in zip(points, members, strict=True):
        places[id(point)] = Place(point, all_of.index(point.rank), len(all_of), all_of)

    def simple(some: Sequence[Point], values: Sequence[int | None]) -> Model[int | None] | None:
        there = [places[id(point)] for point in some]
        own = []
        for place, world in zip(there, values, strict=True):
            if world is not None and world not in place.members:
                return None
            own.append(None if world is None else place.members.index(world))
        for name, of in _candidates(there, own):
            if all(of(place) == partner for place, partner in zip(there, own, strict=True)):
                return Model(_in_world(of, of_members), name)
        return None

    return fit(points, worlds, simple)


def _in_world(of: Partner, of_members: Callable[[Point], Members]) -> Callable[[Point], int | None]:
    def found(point: Point) -> int | None:
        members = of_members(point)
        of_all = len(members) == point.size and members[point.rank] == point.rank
        place = point.rank if of_all else members.index(point.rank)
        own = of(Place(point, place, len(members), members))
        return None if own is None else members[own]

    return found


_all: dict[int, Members] = {}


def _all_ranks(point: Point) -> Members:
    if point.size not in _all:
        _all[point.size] = tuple(range(point.size))
    return _all[point.size]


def _line(point: Point, along: tuple[int, ...]) -> Members:
    ranges = [range(e) if k in along else (point.at[k],) for k, e in enumerate(point.extents)]
    return tuple(rank_at(at, point.extents) for at in itertools.product(*ranges))


def members_model(points: Sequence[Point], members: Sequence[Members]) -> Model[Members] | None:
    """Of a communicator."""
    dimensions = len(points[0].extents)

    def simple(some: Sequence[Point], values: Sequence[Members]) -> Model[Members] | None:
        candidates: list[tuple[str, Callable[[Point], Members]]] = [
            ("all ranks", _all_ranks),
            ("the rank alone", lambda p: (p.rank,)),
        ]
        for count in range(1, dimensions):
            for along in itertools.combinations(range(dimensions), count):
                words = " and ".join(f"p{k}" for k in along)
                candidates.append((f"along {words}", lambda p, a=along: _line(p, a)))  # type: ignore[misc]
        width = len(values[0])
        candidates.append(
            (
                f"blocks of {width}",
                lambda p: tuple(range(p.rank // width * width, min(p.rank // width * width + width, p.size))),
            )
        )
        candidates.append(("all but rank 0", lambda p: tuple(range(1, p.size))))
        candidates.append(("even or odd ranks", lambda p: tuple(range(p.rank % 2, p.size, 2))))
        for name, of in candidates:
            if all(of(p) == v for p, v in zip(some, values, strict=True)):
                return Model(of, name)
        return None

    return fit(points, members, simple)


def exists(model: Model[int | None]) -> Condition:
    return f"there is a partner ({model.form})", lambda p: model.of(p) is not None
