"""The tree of a number of ranks, from the program that the recorded runs have in common."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from leadline.predict.ranks.fitting import Fitting
from leadline.predict.ranks.forms import Point
from leadline.predict.ranks.grids import coordinates
from leadline.predict.ranks.program import NoFit, ProgramBody, ProgramCall, ProgramLoop, Repeat, Source, Variant
from leadline.predict.ranks.recorded_tree import RecordedTree, Values
from leadline.predict.ranks.requests import Completions

MOST_TRIPS = 100_000_000
SENDS, RECEIVES = 1, 2  # bits of moves


@dataclass(frozen=True)
class Columns:
    """Of a call of a rank."""

    identity: int
    root: int
    posted: int
    parts: tuple[Values, ...]
    source: tuple[int, int]  # rank and leaf of the last run


@dataclass(frozen=True)
class MadeLeaf:
    """call: of the program.   of_class, leaf: of the last run.   parts: class, leaf, part, and the age of what it
    completes. other: told from others with the same call, which do the same with other partners or sizes."""

    call: int
    of_class: int
    leaf: int
    parts: tuple[tuple[int, int, int, int], ...]
    other: int


@dataclass
class Grown:
    """bodies: their elements: a leaf or a loop, and how often.   roots: by rank.   columns: by rank and leaf."""

    size: int
    bodies: list[tuple[Any, ...]] = field(default_factory=list)
    leaves: list[MadeLeaf] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)
    columns: list[dict[int, Columns]] = field(default_factory=list)
    alike: list[int] = field(default_factory=list)  # by rank: one of the last run
    communicators: dict[int, tuple[int, ...]] = field(default_factory=dict)


class Building:
    def __init__(self, fitting: Fitting, program: ProgramBody, size: int, extents: tuple[int, ...]) -> None:
        self.fitting, self.program = fitting, program
        self.extents = extents
        self.made = Grown(size)
        self.known_bodies: dict[tuple[Any, ...], int] = {}
        self.known_leaves: dict[MadeLeaf, int] = {}
        self.identities: dict[Hashable, int] = {}
        self.known_members: dict[tuple[tuple[int, int], int], tuple[tuple[int, ...], int]] = {}
        self.last = fitting.trees[-1]
        self.last_extents = fitting.extents[-1]
        for rank in range(size):
            self._rank(rank)

    def _rank(self, rank: int) -> None:
        point = Point(self.made.size, rank, self.extents, coordinates(rank, self.extents))
        self.alike = self._alike(point)
        self.columns: dict[int, Columns] = {}
        self.count = 0
        self.others: dict[tuple[Any, ...], dict[Columns, int]] = {}  # by what is alike: leaves of other columns
        self.known_contents: dict[Any, tuple[list[Any], int]] = {}
        self.open: list[tuple[int, Hashable, tuple[int, int, int], Values]] = []
        self.made.roots.append(self._body(self.program, point))
        self.made.columns.append(self.columns)
        self.made.alike.append(self.alike[0])

    def _alike(self, point: Point) -> list[int]:
        """Ranks of the last run, those at a place like this one first."""

        def role(at: tuple[int, ...], extents: tuple[int, ...]) -> list[tuple[bool, bool]]:
            return [(c == 0, c == e - 1) for c, e in zip(at, extents, strict=True)]

        own = role(point.at, point.extents)

        def unlike(rank: int) -> tuple[float, ...]:
            at = coordinates(rank, self.last_extents)
            other = role(at, self.last_extents)
            wrong = sum(a != b for one, two in zip(own, other, strict=True) for a, b in zip(one, two, strict=True))
            away = abs(rank / self.last.size - point.rank / point.size)
            return ((rank == 0) != (point.rank == 0), wrong, away)

        return sorted(range(self.last.size), key=unlike)

    def _body(self, body: ProgramBody, point: Point) -> int:
        elements: list[Any] = []
        for repeat in body:
            self._repeat(repeat, point, elements)
        return self._interned(elements)

    def _interned(self, elements: list[Any]) -> int:
        merged: list[Any] = []
        for *what, times in elements:
            if merged and merged[-1][:-1] == tuple(what):
                merged[-1] = (*what, merged[-1][-1] + times)
            else:
                merged.append((*what, times))
        key = tuple(merged)
        number = self.known_bodies.setdefault(key, len(self.made.bodies))
        if number == len(self.made.bodies):
            self.made.bodies.append(key)
        return number

    def _repeat(self, repeat: Repeat, point: Point, elements: list[Any]) -> None:
        trips = repeat.trips.of(point)
        if trips <= 0:
            return
        if trips > MOST_TRIPS:
            raise NoFit(repeat.name, f"{trips:,} calls or iterations ({repeat.trips.form}) are too many")
        if not repeat.indexed:
            for content, times in repeat.kinds:
                self._times(content, times, lambda _: point, elements)
            return
        content = repeat.kinds[0][0]
        if repeat.uniform:
            self._times(content, trips, lambda i: point.inside(i, trips), elements)
            return
        for i in range(trips):
            self._content(content, point.inside(i, trips), elements)

    def _times(self, content: Any, times: int, point_of: Any, elements: list[Any]) -> None:
        """Equal contents; again only as long as open requests make a difference."""
        before = None
        since = previous = 0
        for i in range(times):
            start, state = len(elements), self._state()
            if before is not None and before == state:
                done = elements[previous:start]
                if done and len(done) == 1 and times - i:
                    elements.append((*done[0][:-1], done[0][-1] * (times - i)))
                elif done:
                    elements += done * (times - i)
                self._skip(since, times - i)
                return
            since, previous = self.count, start
            self._content(content, point_of(i), elements)
            before = state

    def _state(self) -> tuple[Any, ...]:
        return tuple((self.count - serial, maker, source, values) for serial, maker, source, values in self.open)

    def _skip(self, since: int, times: int) -> None:
        more = (self.count - since) * times
        self.count += more
        self.open = [(serial + more, *rest) for serial, *rest in self.open]  # type: ignore[misc]

    def _content(self, content: Any, point: Point, elements: list[Any]) -> None:
        """What a rank does again, without open requests, is looked up."""
        key = (id(content), point.indices)
        if self.open or isinstance(content, ProgramCall):
            return self._anew(content, point, elements)
        if (known := self.known_contents.get(key)) is not None:
            self.count += known[1]
            elements += known[0]
            return None
        start, before = len(elements), self.count
        self._anew(content, point, elements)
        if not self.open:
            self.known_contents[key] = (elements[start:], self.count - before)
        return None

    def _anew(self, content: Any, point: Point, elements: list[Any]) -> None:
        if isinstance(content, ProgramCall):
            elements.append(("call", self._call(content, point), 1))
        elif isinstance(content, ProgramLoop):
            runs: list[Any] = []
            self._repeat(content.repeat, point, runs)
            merged = self.made.bodies[self._interned(runs)]
            elements.append(("loop", content.number, content.main, merged, 1))
        else:
            elements.append(("body", self._body(content, point), 1))

    def _call(self, call: ProgramCall, point: Point) -> int:
        variant = call.variants[call.which.of(point)]
        source = self._source(variant, point, call)
        of_class = self.last.ranks[source.rank].of_class
        leaf = self.last.leaves[of_class][source.leaf]
        own = [n for n, part in enumerate(leaf.parts) if part.request != "completes"]
        parts = [(of_class, source.leaf, n, 0) for n in own]
        values = [self._values(part, point, call) for part in variant.parts]
        if call.rule is not None:
            known = Completions(tuple(maker for _, maker, _, _ in self.open), ())
            done = call.rule.completed(known)
            for i in done:
                serial, _, made_by, value = self.open[i]
                parts.append((*made_by, self.count - serial))
                values.append(value)
            gone = set(done)
            self.open = [one for i, one in enumerate(self.open) if i not in gone]
        identity = self._identity(variant.members, variant.family, point)
        root = variant.root.of(point)
        columns = Columns(identity, root, variant.posted.of(point), tuple(values), (source.rank, source.leaf))
        for made in range(call.leaf.made):
            at = min(made, len(own) - 1)
            self.open.append((self.count, leaf.name, (of_class, source.leaf, own[at]), values[at]))
            self.count += 1
        same = (call.number, of_class, source.leaf, tuple(parts))
        numbers = self.others.setdefault(same, {})
        number = numbers.get(columns)
        if number is None:
            number = numbers[columns] = self._leaf(MadeLeaf(*same, len(numbers)))
            self.columns[number] = columns
        return number

    def _leaf(self, leaf: MadeLeaf) -> int:
        number = self.known_leaves.setdefault(leaf, len(self.made.leaves))
        if number == len(self.made.leaves):
            self.made.leaves.append(leaf)
        return number

    def _source(self, variant: Variant, point: Point, call: ProgramCall) -> Source:
        ends = tuple((i == 0, i == n - 1) for i, n in point.indices)
        for rank in self.alike:
            if several := variant.sources.get(rank):
                return next((one for one in several if one.ends == ends), several[len(several) // 2])
        raise NoFit(call.leaf.name, f"no call of {self.last.size} ranks is like those of {self.made.size}")

    def _values(self, part: Any, point: Point, call: ProgramCall) -> Values:
        identity = self._identity(part.members, part.family, point)
        if part.partner is None:
            world: int | None = -1
        else:
            world = part.partner.of(point)
            if world is None:
                return Values(identity, None, part.tag.of(point), 0, 0, 0)
        posted, sent, received = (model.of(point) for model in (part.posted, part.sent, part.received))
        return Values(identity, world, part.tag.of(point), posted, sent, received)

    def _identity(self, model: Any, family: tuple[int, int], point: Point) -> int:
        if model is None:
            return family[1]
        members = model.of(point)
        same = (family, id(members))  # members are kept below, so that no others get their place
        if same in self.known_members:
            return self.known_members[same][1]
        key = (self.fitting.family(family), members)
        if key not in self.identities:
            digest = hashlib.blake2b(repr(key).encode(), digest_size=8).digest()
            self.identities[key] = int.from_bytes(digest, "big") >> 2 | 1
            self.made.communicators[self.identities[key]] = members
        self.known_members[same] = (members, self.identities[key])
        return self.identities[key]


def counts(grown: Grown) -> list[Counter[int]]:
    """Calls of each leaf in a body."""
    found: list[Counter[int] | None] = [None] * len(grown.bodies)

    def of_elements(elements: tuple[Any, ...]) -> Counter[int]:
        total: Counter[int] = Counter()
        for kind, *rest in elements:
            if kind == "call":
                total[rest[0]] += rest[1]
                continue
            inner = of(rest[0]) if kind == "body" else of_elements(rest[2])
            for leaf, calls in inner.items():
                total[leaf] += calls * rest[-1]
        return total

    def of(body: int) -> Counter[int]:
        known = found[body]
        if known is None:
            known = found[body] = of_elements(grown.bodies[body])
        return known

    return [of(body) for body in range(len(grown.bodies))]


def without_other_end(grown: Grown, last: RecordedTree) -> tuple[int, int, int] | None:
    """A message that is sent and never received, or received and never sent: the call, its rank, and its partner."""
    calls_in = counts(grown)
    left: Counter[tuple[int, int, int, int]] = Counter()
    where: dict[tuple[int, int, int, int], tuple[int, int, int]] = {}
    for rank, columns in enumerate(grown.columns):
        calls = calls_in[grown.roots[rank]]
        for leaf, own in columns.items():
            made = grown.leaves[leaf]
            parts = last.leaves[made.of_class][made.leaf].parts
            own_parts = [part for part in parts if part.request != "completes"]
            for part, value in zip(own_parts, own.parts, strict=False):
                if value.world is None or value.world < 0 or part.cancelled or not part.moves & (SENDS | RECEIVES):
                    continue
                sends = bool(part.moves & SENDS)
                ends = (rank, value.world) if sends else (value.world, rank)
                channel = (value.identity, *ends, value.tag)
                left[channel] += calls[leaf] if sends else -calls[leaf]
                where[channel] = (made.call, rank, value.world)
    return next((where[channel] for channel, count in left.items() if count), None)
