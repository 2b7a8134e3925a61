"""The program of several recorded trees: which calls they have in common, and the forms of what differs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from leadline.predict.ranks.aligning import MOST_NEIGHBOURS, merged, places, with_indices, without_loops
from leadline.predict.ranks.faces import SIZES, FaceSizes
from leadline.predict.ranks.forms import Condition, Model, Point, exact_integer, fit, integer
from leadline.predict.ranks.neighbours import Neighbours, may_close, neighbours_of, value_model
from leadline.predict.ranks.partners import Members, exists, members_model, partner_model
from leadline.predict.ranks.program import (
    NoFit,
    NotShown,
    PartModels,
    ProgramBody,
    ProgramCall,
    ProgramLoop,
    Quantity,
    Repeat,
    Sample,
    Source,
    Variant,
)
from leadline.predict.ranks.recorded_tree import Call, Group, Item, Leaf, Loop, Part, RankCall, RecordedTree, Values
from leadline.predict.ranks.requests import Completions, rule_of

MOST_KINDS = 64  # of iterations that differ, of a loop with as many iterations in all runs
PLAIN = ("rank 0", "the last rank", "iteration", "there is a partner")  # conditions that are to be expected


@dataclass
class Fitting:
    """trees: by number of ranks."""

    trees: list[RecordedTree]
    extents: list[tuple[int, ...]]
    completions: list[list[dict[int, Completions]]]  # by run and class
    quantities: list[Quantity] = field(default_factory=list)
    calls: list[ProgramCall] = field(default_factory=list)
    repeats: dict[Hashable, list[Repeat]] = field(default_factory=dict)
    families: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    most: int = 1 << 60  # conditions: with more, the grid is not the program's
    cost: int = 0
    known: dict[Any, tuple[Any, Any]] = field(default_factory=dict)
    closes: tuple[bool, ...] = ()  # of each dimension of a recorded grid, whether its ends are neighbours
    faces: FaceSizes = field(init=False)

    def __post_init__(self) -> None:
        self.faces = FaceSizes(self.trees, self.extents)

    def _once(self, points: Sequence[Point], values: Sequence[Any], kind: str, find: Callable[[], Any]) -> Any:
        """The same values of the same ranks are fitted once."""
        key = (kind, tuple(map(id, points)), tuple(values))
        if key not in self.known:
            self.known[key] = (list(points), find())  # the points are kept, so that no others get their identity
        return self.known[key][1]

    def family(self, one: tuple[int, int]) -> tuple[int, int]:
        while self.families.setdefault(one, one) != one:
            one = self.families[one]
        return one

    def body(self, samples: list[Sample]) -> ProgramBody:
        order = merged([tuple(g.name for g in body) for _, _, body in samples])
        columns: list[list[Sample]] = [[] for _ in order]
        for point, run, body in samples:
            at = places(tuple(g.name for g in body), order)
            there: dict[int, Group] = dict(zip(at, body, strict=True))
            for place in range(len(order)):
                group = there.get(place)
                columns[place].append((point, run, group.items if group else ()))
        return [self.repeat(name, column, self.item) for name, column in zip(order, columns, strict=True)]

    def item(self, name: Hashable, samples: list[Sample]) -> ProgramCall | ProgramLoop:
        first: Item = samples[0][2]
        if isinstance(first, Call):
            return self.call(name, samples)
        last = max(samples, key=lambda s: s[1])[2]
        inner = [(point, run, loop.runs) for point, run, loop in samples]
        return ProgramLoop(last.number, last.main, self.repeat(name, inner, lambda _, some: self.body(some)))

    def repeat(self, name: Hashable, samples: list[Sample], content: Callable[[Hashable, list[Sample]], Any]) -> Repeat:
        trips = [sum(times for _, times in items) for _, _, items in samples]
        points = [point for point, _, _ in samples]
        there = [(sample, n) for sample, n in zip(samples, trips, strict=True) if n]
        most = max(trips)
        indexed = uniform = False
        kinds: list[tuple[Any, int]] = []
        if (listed := self._neighbours(name, samples, trips)) is not None:
            return listed
        if all(n == most for _, n in there):
            kinds = self._kinds(name, [sample for sample, _ in there], content)
        if not kinds:
            indexed = True
            kinds = [(content(name, with_indices([sample for sample, _ in there])), 1)]
            uniform = all(len(items) == 1 for (_, _, items), _ in there)
        model = self._trips(name, points, trips, kinds, indexed)
        made = Repeat(name, model, kinds, indexed, uniform, len(points[0].indices))
        self.repeats.setdefault(name, []).append(made)
        return made

    def _neighbours(self, name: Hashable, samples: list[Sample], trips: list[int]) -> Repeat | None:
        """Of messages that each rank exchanges with its neighbours, one after another, in a loop or without."""
        loops = [loop for _, _, items in samples for loop, _ in items if isinstance(loop, Loop)]
        if loops:
            return None if loops[-1].main else self._neighbours_in_loop(name, samples, loops[-1].number)
        if max(trips) < 2:
            return None
        if max(trips) > MOST_NEIGHBOURS or not all(isinstance(i, Call) for _, _, items in samples for i, _ in items):
            return None
        points = [point for point, _, _ in samples]
        if all(n in (0, p.size - 1) for p, n in zip(points, trips, strict=True)) and max(trips) > 1:
            return None  # a root's with all others, or of all with all
        calls: list[list[tuple[int, int, int]]] = []
        values: list[list[Values]] = []
        for point, run, items in samples:
            own = [(run, point.rank, item.leaf) for item, times in items for _ in range(times)]
            parts = [_own_values(self._rank_call(one).parts, self._leaf(one)) for one in own]
            if any(len(some) != 1 or some[0].world is None or some[0].world < 0 for some in parts):
                return None
            calls.append(own)
            values.append([some[0] for some in parts])
        found = neighbours_of(points, [[v.world or 0 for v in own] for own in values])
        if found is None:
            return None
        k = may_close(found, points, [[v.world or 0 for v in own] for own in values], self.closes)
        if k is not None:
            what = (
                f"no run has more than two ranks along p{k} of the grid, so whether its ends are neighbours is unknown"
            )
            raise NotShown(name, what)
        return self._listed(name, found, points, calls, values)

    def _neighbours_in_loop(self, name: Hashable, samples: list[Sample], number: int) -> Repeat | None:
        columns = without_loops(samples)
        if columns is None:
            return None
        listed: list[Repeat] = []
        for call, column in columns:
            found = self._neighbours(call, column, [sum(times for _, times in items) for _, _, items in column])
            if found is None or found.trips.form != (listed or [found])[0].trips.form:
                return None
            listed.append(found)
        first = listed[0]
        one: Model[int] = Model(lambda _: 1, "1", constant=True)
        body = [Repeat(each.name, one, each.kinds, False, False, each.depth + 1) for each in listed]
        loop = ProgramLoop(number, False, Repeat(name, first.trips, [(body, 1)], True, False, first.depth))
        some: Model[int] = Model(lambda p: int(first.trips.of(p) > 0), first.trips.form)
        return Repeat(name, some, [(loop, 1)], False, False, first.depth)

    def _listed(
        self,
        name: Hashable,
        found: Neighbours,
        points: list[Point],
        calls: list[list[tuple[int, int, int]]],
        values: list[list[Values]],
    ) -> Repeat | None:
        def number(what: str, of: Callable[[Values], int], adds: bool = True) -> Model[int] | None:
            def of_one(some: Sequence[Point], numbers: Sequence[int]) -> Model[int] | None:
                return integer(some, numbers, (), adds)

            model = value_model(found, points, [[of(v) for v in own] for own in values], of_one, adds and found.merged)
            if model is not None:
                self._note(name, what, model)
            return model

        flat = [one for own in calls for one in own]
        inside = [point.inside(i, len(own)) for point, own in zip(points, calls, strict=True) for i in range(len(own))]
        members, family = self._communicator(name, inside, flat, [v.identity for own in values for v in own])

        def partner(point: Point) -> int | None:
            outside = Point(point.size, point.rank, point.extents, point.at, point.indices[:-1])
            return found.entries(outside)[point.indices[-1][0]][0]

        def size(what: str, of: Callable[[Values], int]) -> Model[int] | None:
            return self._face(name, 0, what, partner) or number(what, of)

        models = [number("tag", lambda v: v.tag, False), *(size(what, of) for what, of in SIZES.items())]
        if members is None or any(model is None for model in models):
            return None
        leaf = self._leaf(flat[-1])
        tag, posted, sent, received = (model for model in models if model is not None)

        part = PartModels(_own(leaf)[0], members, family, Model(partner, found.form), tag, posted, sent, received)
        zero: Model[int] = Model(lambda _: 0, "0", constant=True)
        variant = Variant(members, family, zero, posted, [part], self._sources(inside, flat))
        call = ProgramCall(len(self.calls), leaf, zero, [variant], None, flat)
        self.calls.append(call)
        trips: Model[int] = Model(lambda p: len(found.entries(p)), found.form)
        self.quantities.append(Quantity(name, "partners", found.form, 0.0, True))
        made = Repeat(name, trips, [(call, 1)], True, False, len(points[0].indices))
        self.repeats.setdefault(name, []).append(made)
        return made

    def _rank_call(self, seen: tuple[int, int, int]) -> RankCall:
        run, rank, leaf = seen
        return self.trees[run].ranks[rank].calls[leaf]

    def _sources(self, points: list[Point], seen: list[tuple[int, int, int]]) -> dict[int, list[Source]]:
        sources: dict[int, list[Source]] = {}
        last = len(self.trees) - 1
        for point, (of_run, of_rank, of_leaf) in zip(points, seen, strict=True):
            if of_run == last:
                ends = tuple((i == 0, i == n - 1) for i, n in point.indices)
                sources.setdefault(of_rank, []).append(Source(of_rank, of_leaf, ends))
        return sources

    def _kinds(
        self, name: Hashable, samples: list[Sample], content: Callable[[Hashable, list[Sample]], Any]
    ) -> list[tuple[Any, int]]:
        cursors = [(items, 0, 0) for _, _, items in samples]
        known: dict[tuple[int, ...], Any] = {}
        order: list[tuple[tuple[int, ...], int]] = []
        while cursors[0][1] < len(cursors[0][0]):
            some = [items[at] for items, at, _ in cursors]
            step = min(times - done for (_, times), (_, _, done) in zip(some, cursors, strict=True))
            key = tuple(id(each) for each, _ in some)
            known.setdefault(key, [each for each, _ in some])
            if len(known) > MOST_KINDS:
                return []
            if order and order[-1][0] == key:
                order[-1] = (key, order[-1][1] + step)
            else:
                order.append((key, step))
            cursors = [
                (items, at + 1, 0) if done + step == items[at][1] else (items, at, done + step)
                for items, at, done in cursors
            ]
        made = {
            key: content(name, [(point, run, one) for (point, run, _), one in zip(samples, each, strict=True)])
            for key, each in known.items()
        }
        return [(made[key], times) for key, times in order]

    def _trips(
        self, name: Hashable, points: list[Point], trips: list[int], kinds: list[tuple[Any, int]], indexed: bool
    ) -> Model[int]:
        special: list[Condition] = []
        for content, _ in () if indexed else kinds:
            special += _partners_in(content)
        made = self._made_before(kinds[0][0]) if kinds else None
        if made is not None and all(made.of(p) == n for p, n in zip(points, trips, strict=True)):
            return made
        model = integer(points, trips, special[:8])
        if model is None:
            raise NoFit(name, f"{_listed(points, trips)} calls or iterations follow no form")
        self._note(name, "times", model)
        return model

    def _made_before(self, content: Any) -> Model[int] | None:
        """As often as the requests were made that it completes."""
        while isinstance(content, list) and len(content) == 1 and content[0].kinds and content[0].trips.constant:
            content = content[0].kinds[0][0]
        if (
            not isinstance(content, ProgramCall)
            or content.rule is None
            or content.rule.kind not in ("oldest", "newest")
        ):
            return None
        makers = [r for maker in content.rule.makers for r in self.repeats.get(maker, [])]
        if not makers:
            return None

        def of(point: Point) -> int:
            cut = [
                (r, Point(point.size, point.rank, point.extents, point.at, point.indices[: r.depth])) for r in makers
            ]
            return sum(r.trips.of(p) for r, p in cut if len(point.indices) >= r.depth)

        return Model(of, "as many as requests")

    def _note(self, name: Hashable, what: str, model: Model[Any]) -> None:
        if not model.constant:
            self.cost += conditions_in(model.form) + 3 * (model.error > 0)
            if self.cost > self.most:
                raise NoFit(name, f"{what} {model.form} depends on too many conditions")
            self.quantities.append(Quantity(name, what, model.form, model.error, model.sure))

    def call(self, name: Hashable, samples: list[Sample]) -> ProgramCall:
        seen: list[tuple[int, int, int]] = []
        kinds: dict[tuple[Any, ...], int] = {}
        which: list[int] = []
        rules: list[Completions] = []
        for point, run, item in samples:
            tree = self.trees[run]
            of_class = tree.ranks[point.rank].of_class
            leaf = tree.leaves[of_class][item.leaf]
            known = self.completions[run][of_class].get(item.leaf)
            if known is not None:
                rules.append(known)
            own = tuple((p.moves, p.request, p.wildcard, p.cancelled) for p in _own(leaf))
            which.append(kinds.setdefault(own, len(kinds)))
            seen.append((run, point.rank, item.leaf))
        tree = self.trees[seen[-1][0]]
        leaf = tree.leaves[tree.ranks[seen[-1][1]].of_class][seen[-1][2]]
        if any(self._leaf(one).varies for one in seen):
            raise NoFit(name, "its messages differ from one call to the next")
        if any(p.wildcard and p.request == "makes" for p in leaf.parts):
            raise NoFit(name, "nonblocking receives from any source cannot be extrapolated")
        points = [point for point, _, _ in samples]
        model = fit(points, which, exact_integer)
        if model is None:
            raise NoFit(name, "which ranks send or receive there follows no form")
        rule = rule_of(rules, leaf.function) if rules else None
        if rules and rule is None:
            raise NoFit(name, "which requests it completes follows no form")
        variants = []
        for number in range(len(kinds)):
            inside = [i for i, kind in enumerate(which) if kind == number]
            variants.append(self._variant(name, [points[i] for i in inside], [seen[i] for i in inside]))
        made = ProgramCall(len(self.calls), leaf, model, variants, rule, seen)
        self.calls.append(made)
        return made

    def _variant(self, name: Hashable, points: list[Point], seen: list[tuple[int, int, int]]) -> Variant:
        calls = [self.trees[run].ranks[rank].calls[leaf] for run, rank, leaf in seen]
        run, rank, leaf_number = seen[-1]
        leaf = self.trees[run].leaves[self.trees[run].ranks[rank].of_class][leaf_number]
        members, family = self._communicator(name, points, seen, [c.identity for c in calls])
        own = _own(leaf)
        parts = []
        for number, part in enumerate(own):
            values = [_own_values(c.parts, self._leaf(s))[number] for c, s in zip(calls, seen, strict=True)]
            parts.append(self._part(name, number, part, points, seen, values))
        roots = [c.root if leaf.collective else 0 for c in calls]
        root = self._number(name, "root", points, roots, near=False)
        if self.closes and parts and self.faces.of(name, 0, "bytes posted"):
            posted = parts[0].posted  # also of calls without a partner, whose sizes show no way
        else:
            posted = self._number(name, "bytes", points, [c.posted for c in calls])
        return Variant(members, family, root, posted, parts, self._sources(points, seen))

    def _leaf(self, seen: tuple[int, int, int]) -> Leaf:
        run, rank, leaf = seen
        return self.trees[run].leaves[self.trees[run].ranks[rank].of_class][leaf]

    def _part(
        self,
        name: Hashable,
        own: int,
        part: Part,
        points: list[Point],
        seen: list[tuple[int, int, int]],
        values: list[Values],
    ) -> PartModels:
        """own: its number among those that are not completed."""
        members, family = self._communicator(name, points, seen, [v.identity for v in values])
        worlds = [v.world for v in values]
        partner = None
        there = list(range(len(points)))
        if not all(world is not None and world < 0 for world in worlds):
            if any(world is not None and world < 0 for world in worlds) or members is None:
                raise NoFit(name, "some partners are unknown")
            recorded = [self.trees[run].communicators[v.identity] for (run, _, _), v in zip(seen, values, strict=True)]
            partner = self._once(
                points, [*worlds, *recorded], "partner", lambda: partner_model(points, recorded, members.of, worlds)
            )
            if partner is None:
                raise NoFit(name, f"partners {_partners(points, worlds)} follow no form")
            self._note(name, "partner", partner)
            there = [i for i in there if worlds[i] is not None] or there
        some = [points[i] for i in there]

        def number(what: str, of: Callable[[Values], int], near: bool = True) -> Model[int]:
            return self._number(name, what, some, [of(values[i]) for i in there], near)

        def size(what: str, of: Callable[[Values], int]) -> Model[int]:
            face = None if partner is None else self._face(name, own, what, partner.of)
            return face or number(what, of)

        tag = number("tag", lambda v: v.tag, False)
        posted, sent, received = (size(what, of) for what, of in SIZES.items())
        return PartModels(part, members, family, partner, tag, posted, sent, received)

    def _face(self, name: Hashable, own: int, what: str, partner: Callable[[Point], int | None]) -> Model[int] | None:
        found = self.faces.of(name, own, what) if self.closes else None
        if found is None:
            return None
        model = found.model(name, partner)
        self._note(name, what, model)
        return model

    def _communicator(
        self, name: Hashable, points: list[Point], seen: list[tuple[int, int, int]], identities: list[int]
    ) -> tuple[Model[Members] | None, tuple[int, int]]:
        runs = [run for run, _, _ in seen]
        keys = list(zip(runs, identities, strict=True))
        for key in keys[1:]:
            self.families[self.family(key)] = self.family(keys[0])
        if not all(identity in self.trees[run].communicators for run, identity in keys):
            return None, keys[-1]
        recorded = [self.trees[run].communicators[identity] for run, identity in keys]
        if any(point.rank not in all_of for point, all_of in zip(points, recorded, strict=True)):
            return None, keys[-1]  # an intercommunicator's
        model = self._once(points, recorded, "members", lambda: members_model(points, recorded))
        if model is None:
            raise NoFit(name, f"communicators of {_listed(points, [len(m) for m in recorded])} ranks follow no form")
        if model.form != "all ranks":
            self._note(name, "communicator", model)
        return model, keys[-1]

    def _number(
        self, name: Hashable, what: str, points: list[Point], values: list[int], near: bool = True
    ) -> Model[int]:
        model = self._once(points, values, f"integer {near}", lambda: integer(points, values, (), near))
        if model is None:
            raise NoFit(name, f"{what} {_listed(points, values)} follow no form")
        self._note(name, what, model)
        return model


def conditions_in(form: str) -> int:
    """Those that no grid explains."""
    return sum(1 for part in form.split("(")[1:] if not any(word in part for word in PLAIN))


def _own(leaf: Leaf) -> list[Part]:
    """Without those that it completes."""
    return [part for part in leaf.parts if part.request != "completes"]


def _own_values(values: Sequence[Values], leaf: Leaf) -> list[Values]:
    return [value for value, part in zip(values, leaf.parts, strict=True) if part.request != "completes"]


def _partners_in(content: Any) -> list[Condition]:
    if isinstance(content, ProgramCall):
        parts = [part for variant in content.variants for part in variant.parts]
        return [exists(part.partner) for part in parts if part.partner is not None]
    if isinstance(content, ProgramLoop):
        return [c for kind, _ in content.repeat.kinds if not content.repeat.indexed for c in _partners_in(kind)]
    return [c for repeat in content if not repeat.indexed for kind, _ in repeat.kinds for c in _partners_in(kind)]


def _listed(points: Sequence[Point], values: Sequence[int]) -> str:
    by: dict[int, set[int]] = {}
    for point, value in zip(points, values, strict=True):
        by.setdefault(point.size, set()).add(value)
    words = [
        f"{min(some):,}" if len(some) == 1 else f"{min(some):,} to {max(some):,}" for _, some in sorted(by.items())
    ]
    return f"{', '.join(words)} on {', '.join(map(str, sorted(by)))} ranks:"


def _partners(points: Sequence[Point], worlds: Sequence[int | None]) -> str:
    most = max(p.size for p in points)
    some = [f"{p.rank} → {w}" for p, w in zip(points, worlds, strict=True) if p.size == most][:4]
    return f"{', '.join(some)} of {most} ranks"
