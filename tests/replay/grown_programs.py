"""Small MPI programs for any number of ranks, as recorded trees: what is fitted to some numbers of ranks has to give
the tree of another one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from leadline.predict.ranks.building import Grown
from leadline.predict.ranks.recorded_tree import (
    Body,
    Call,
    Grid,
    Item,
    Leaf,
    Loop,
    Part,
    RankCall,
    RecordedRank,
    RecordedTree,
    Values,
    grouped,
)

SENDS, RECEIVES, COLLECTIVE = 1, 2, 4
WORLD = 1


@dataclass
class Rank:
    """Writes what a rank does."""

    size: int
    rank: int
    leaves: list[Leaf] = field(default_factory=list)
    calls: list[RankCall] = field(default_factory=list)
    known: dict[Any, int] = field(default_factory=dict)
    open: list[list[tuple[Item, int]]] = field(default_factory=lambda: [[]])
    iterations: list[tuple[int, list[Body]]] = field(default_factory=list)
    bodies: dict[Any, Body] = field(default_factory=dict)
    requests: list[tuple[int, Hashable, Part, Values]] = field(default_factory=list)
    made: int = 0

    def _call(self, leaf: Leaf, call: RankCall) -> None:
        number = self.known.setdefault((leaf, call), len(self.leaves))
        if number == len(self.leaves):
            self.leaves.append(leaf)
            self.calls.append(call)
        self.open[-1].append((Call(number), 1))

    def _message(
        self, site: str, function: str, use: str, messages: list[tuple[int, int | None, int, int]]
    ) -> tuple[tuple[Part, ...], tuple[Values, ...]]:
        parts = tuple(Part(moves, use, False, False, 0, None) for moves, *_ in messages)
        values = tuple(
            Values(WORLD, to, tag, n, n if moves == SENDS else 0, n if moves == RECEIVES else 0)
            if to is not None
            else Values(WORLD, None, tag, 0, 0, 0)
            for moves, to, tag, n in messages
        )
        made = "makes" if use == "makes" else "none"
        leaf = Leaf(0, (site, False, False), function, made, False, False, parts)
        self._call(leaf, RankCall(WORLD, 0, sum(v.posted for v in values), values, 1, 1000.0, 10.0))
        return parts, values

    def send(self, site: str, to: int | None, tag: int, n: int) -> None:
        self._message(site, "MPI_Send", "none", [(SENDS, to, tag, n)])

    def receive(self, site: str, of: int | None, tag: int, n: int) -> None:
        self._message(site, "MPI_Recv", "none", [(RECEIVES, of, tag, n)])

    def exchange(self, site: str, to: int | None, of: int | None, tag: int, n: int) -> None:
        self._message(site, "MPI_Sendrecv", "none", [(SENDS, to, tag, n), (RECEIVES, of, tag, n)])

    def isend(self, site: str, to: int | None, tag: int, n: int, moves: int = SENDS) -> None:
        parts, values = self._message(site, "MPI_Isend", "makes", [(moves, to, tag, n)])
        self.requests.append((self.made, (site, False, False), parts[0], values[0]))
        self.made += 1

    def ireceive(self, site: str, of: int | None, tag: int, n: int) -> None:
        self.isend(site, of, tag, n, RECEIVES)

    def wait_all(self, site: str) -> None:
        parts = tuple(
            Part(p.moves, "completes", False, False, self.made - n, maker) for n, maker, p, _ in self.requests
        )
        values = tuple(v for *_, v in self.requests)
        self.requests = []
        leaf = Leaf(0, (site, False, False), "MPI_Waitall", "completes", False, False, parts)
        self._call(leaf, RankCall(WORLD, 0, 0, values, 1, 1000.0, 10.0))

    def collective(self, site: str, n: int, identity: int = WORLD, root: int = -2) -> None:
        leaf = Leaf(
            0,
            (site, False, False),
            "MPI_Allreduce",
            "none",
            True,
            False,
            (Part(COLLECTIVE, "none", False, False, 0, None),),
        )
        self._call(leaf, RankCall(identity, root, n, (Values(identity, -1, 0, n, n, n),), 1, 1000.0, 10.0))

    def loop(self, number: int, trips: int, content: Callable[[int], None]) -> None:
        bodies: list[Body] = []
        for i in range(trips):
            self.open.append([])
            content(i)
            bodies.append(self._body(self.open.pop()))
        runs: list[tuple[Body, int]] = []
        for body in bodies:
            if runs and runs[-1][0] is body:
                runs[-1] = (body, runs[-1][1] + 1)
            else:
                runs.append((body, 1))
        if runs:
            self.open[-1].append((Loop(number, number == 1, tuple(runs)), 1))

    def _name(self, item: Item) -> Hashable:
        return self.leaves[item.leaf].name if isinstance(item, Call) else ("loop", item.number)

    def _body(self, items: list[tuple[Item, int]]) -> Body:
        """Equal ones are one."""
        key = tuple((item.leaf if isinstance(item, Call) else (item.number, item.runs), n) for item, n in items)
        if key not in self.bodies:
            self.bodies[key] = grouped(items, self._name)
        return self.bodies[key]


Program = Callable[[Rank], None]


def recorded(
    program: Program,
    size: int,
    communicators: dict[int, tuple[int, ...]] | None = None,
    grids: Sequence[Grid] = (),
) -> RecordedTree:
    """Each rank is in a class of its own."""
    world = {WORLD: tuple(range(size)), **(communicators or {})}
    tree = RecordedTree(size, [], [], [], world, grids=list(grids))
    for number in range(size):
        rank = Rank(size, number)
        program(rank)
        tree.bodies.append(rank._body(rank.open[0]))
        tree.leaves.append(rank.leaves)
        tree.ranks.append(RecordedRank(number, 0, 0.0, tuple(rank.calls)))
    return tree


Told = tuple[Any, ...]


def _told(leaf: Leaf, ages: list[int], call: Any, members: dict[int, tuple[int, ...]]) -> Told:
    """What does not depend on how communicators and leaves are numbered."""
    values = [
        (v.world if v.world is None or v.world >= 0 else -1, v.tag, v.posted, v.sent, v.received, members[v.identity])
        for v in call.parts
    ]
    if ages:  # completions' order is of no account
        return leaf.name, sorted(zip(ages, [v[0] for v in values], strict=True), key=str)
    return leaf.name, members[call.identity], call.root if leaf.collective else 0, values


def calls_of_recorded(tree: RecordedTree, rank: int) -> list[Told]:
    own = tree.ranks[rank]
    found: list[Told] = []

    def go(body: Body) -> None:
        for group in body:
            for item, times in group.items:
                for _ in range(times):
                    if isinstance(item, Loop):
                        for inner, count in item.runs:
                            for _ in range(count):
                                go(inner)
                        continue
                    leaf = tree.leaves[own.of_class][item.leaf]
                    ages = [p.age for p in leaf.parts if p.request == "completes"]
                    found.append(_told(leaf, ages, own.calls[item.leaf], tree.communicators))

    go(tree.bodies[own.of_class])
    return found


def calls_of_grown(grown: Grown, last: RecordedTree, rank: int) -> list[Told]:
    found: list[Told] = []

    def go(elements: tuple[Any, ...]) -> None:
        for kind, *rest in elements:
            for _ in range(rest[-1]):
                if kind == "body":
                    go(grown.bodies[rest[0]])
                elif kind == "loop":
                    go(rest[2])
                else:
                    made = grown.leaves[rest[0]]
                    leaf = last.leaves[made.of_class][made.leaf]
                    ages = [age for *_, age in made.parts if age]
                    found.append(_told(leaf, ages, grown.columns[rank][rest[0]], grown.communicators))

    go(grown.bodies[grown.roots[rank]])
    return found
