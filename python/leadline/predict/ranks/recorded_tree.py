"""Recorded trees as data: loops and calls of each class of ranks, named alike in all runs of a program."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from leadline import _core
from leadline.errors import UsageError
from leadline.figures.run import Run

MOST_EXPANDED = 200_000  # iterations of a loop, and calls of a repeated sequence that is no loop


@dataclass(frozen=True, eq=False)
class Call:
    leaf: int


@dataclass(frozen=True, eq=False)
class Loop:
    """runs: bodies of its iterations in their order, each so many times in a row."""

    number: int
    main: bool
    runs: tuple[tuple[Body, int], ...]


Item = Call | Loop


@dataclass(frozen=True, eq=False)
class Group:
    """Items of one name that follow one another, each so many times."""

    name: Hashable
    items: tuple[tuple[Item, int], ...]

    @property
    def count(self) -> int:
        return sum(times for _, times in self.items)


Body = tuple[Group, ...]


@dataclass(frozen=True)
class Part:
    """moves: bits.   request: its use.   age: how many requests ago what it completes was made.   maker: name of the
    site that made it."""

    moves: int
    request: str
    wildcard: bool
    cancelled: bool
    age: int
    maker: Hashable


@dataclass(frozen=True)
class Leaf:
    site: int
    name: Hashable
    function: str
    requests: str
    collective: bool
    varies: bool
    parts: tuple[Part, ...]

    @property
    def made(self) -> int:
        """Requests that a call makes."""
        return len(self.parts) if self.requests == "starts" else int(self.requests == "makes")


@dataclass(frozen=True)
class Values:
    """Of a part of a rank's call. world: the partner in MPI_COMM_WORLD; None: MPI_PROC_NULL."""

    identity: int
    world: int | None
    tag: int
    posted: int
    sent: int
    received: int


@dataclass(frozen=True)
class RankCall:
    identity: int
    root: int
    posted: int
    parts: tuple[Values, ...]
    calls: int
    before_ns: float
    during_ns: float


@dataclass(frozen=True)
class RecordedRank:
    of_class: int
    node: int
    begin_ns: float
    calls: tuple[RankCall, ...]


@dataclass(frozen=True)
class Grid:
    """Of a Cartesian communicator of all ranks in their order.   closes: by dimension, whether its ends are
    neighbours."""

    extents: tuple[int, ...]
    closes: tuple[bool, ...]


@dataclass
class RecordedTree:
    """A run of `size` ranks.   places: sites as users know them, for messages.   grids: that it made."""

    size: int
    bodies: list[Body]
    leaves: list[list[Leaf]]
    ranks: list[RecordedRank]
    communicators: dict[int, tuple[int, ...]]
    places: dict[Hashable, str] = field(default_factory=dict)
    grids: list[Grid] = field(default_factory=list)


def tree_of(
    tree: _core.ReplayTree, sites: Sequence[Hashable], loops: Sequence[Hashable], places: dict[Hashable, str]
) -> RecordedTree:
    """sites, loops: a name for each of the run's numbers. Raises UsageError if the order of calls was lost."""
    classes, size = _core.tree_size(tree)
    found = RecordedTree(size, [], [], [], {}, places)
    null = _core.tree_null_peer()
    for number in range(classes):
        leaves = [_leaf(row, sites) for row in _core.tree_leaves(tree, number)]
        shape = _core.tree_shape(tree, number)
        if shape["lost"]:
            raise UsageError("--ranks: the order of some calls was not kept, so that they cannot be extrapolated")
        found.leaves.append(leaves)
        found.bodies.append(_Reading(shape, leaves, loops).body(shape["root"]))
    for rank in range(size):
        of_class, node, begin_ns = _core.tree_rank(tree, rank)
        calls = tuple(_rank_call(row, null) for row in _core.tree_calls(tree, rank))
        found.ranks.append(RecordedRank(of_class, node, begin_ns, calls))
    found.communicators = {identity: tuple(members) for identity, members in _core.tree_communicators(tree).items()}
    for identity, sides in _core.tree_grids(tree).items():
        grid = Grid(tuple(extent for extent, _ in sides), tuple(closes for _, closes in sides))
        in_order = found.communicators.get(identity) == tuple(range(size))
        if in_order and math.prod(grid.extents) == size and grid not in found.grids:
            found.grids.append(grid)
    return found


def read_tree(run: Run, tree: _core.ReplayTree) -> RecordedTree:
    """With the names of its sites and loops: functions, and addresses in their modules along the call path, so that
    runs of one program have the same ones."""
    profile = run.profile
    contexts, modules = profile.contexts(), [module.path for module in profile.modules]
    paths: dict[int, tuple[Hashable, ...]] = {0: (), 1: ()}

    def path_of(context: int) -> tuple[Hashable, ...]:
        steps = []
        while context not in paths:
            steps.append(context)
            context = contexts[context][2]
        found = paths[context]
        for step in reversed(steps):
            module, offset, _ = contexts[step]
            found = paths[step] = (*found, (None if module is None else modules[module], offset))
        return found

    functions = [function.name for function in profile.functions]
    sites: list[Hashable] = [(functions[f], path_of(context)) for f, _, context in profile.sites()]
    loops: list[Hashable] = []
    for loop in profile.loops.all:
        module, offset = loop.header
        callers = tuple((None if m is None else modules[m], o) for m, o in loop.callers)
        loops.append((None if module is None else modules[module], offset, callers))
    places: dict[Hashable, str] = {}
    for site in run.sites:
        where = site.path[-1].place() if site.path else ""
        for member in site.members:
            places[sites[member]] = f"{site.function} in {where}" if where else site.function
    return tree_of(tree, sites, loops, places)


def _leaf(row: tuple[Any, ...], sites: Sequence[Hashable]) -> Leaf:
    site, function, requests, collective, varies, refused, nothing, parts = row
    name = sites[site] if site < len(sites) else ("unknown", function)
    made = tuple(
        Part(moves, request, wildcard, cancelled, age, sites[maker] if maker < len(sites) else None)
        for moves, request, wildcard, cancelled, age, maker in parts
    )
    return Leaf(site, (name, refused, nothing), function, requests, collective, varies, made)


def _rank_call(row: tuple[Any, ...], null: int) -> RankCall:
    identity, root, _, posted, parts, calls, before_ns, during_ns = row
    values = tuple(
        Values(comm, None if peer == null else world, tag, p, out, into)
        for comm, peer, _, world, tag, p, out, into in parts
    )
    return RankCall(identity, root, posted, values, calls, before_ns, during_ns)


class _Reading:
    def __init__(self, shape: dict[str, Any], leaves: list[Leaf], loops: Sequence[Hashable]) -> None:
        self.shape = shape
        self.leaves = leaves
        self.loops = loops
        self.known: dict[int, Body] = {}

    def body(self, number: int) -> Body:
        if number not in self.known:
            self.known[number] = grouped(self._items(number), self._name)
        return self.known[number]

    def _items(self, number: int) -> list[tuple[Item, int]]:
        found: list[tuple[Item, int]] = []
        for index, is_body, times in self.shape["bodies"][number]:
            if not is_body:
                if index >= 2:  # the others are marks
                    found.append((Call(index - 2), times))
            elif self.shape["loop_of"][index]:
                found.append((self._loop(index), times))
            else:
                inner = self._items(index)
                if len(inner) * times > MOST_EXPANDED:
                    raise UsageError("--ranks: a sequence of calls outside of loops repeats too often")
                found += inner * times
        return found

    def _loop(self, number: int) -> Loop:
        runs: list[tuple[Body, int]] = []
        self._runs(number, runs)
        return Loop(self.shape["loop_of"][number], number == self.shape["main_body"], tuple(runs))

    def _runs(self, number: int, runs: list[tuple[Body, int]]) -> None:
        for index, is_body, times in self.shape["bodies"][number]:
            if is_body and not self.shape["is_iteration"][index] and not self.shape["loop_of"][index]:
                inner: list[tuple[Body, int]] = []
                self._runs(index, inner)
                if len(inner) * times > MOST_EXPANDED:
                    raise UsageError("--ranks: a loop has too many iterations that differ")
                for _ in range(times):
                    for body, count in inner:
                        _append(runs, body, count)
            elif is_body and self.shape["is_iteration"][index]:
                _append(runs, self.body(index), times)
            else:
                raise UsageError("--ranks: a loop has calls outside of its iterations")

    def _name(self, item: Item) -> Hashable:
        if isinstance(item, Call):
            return self.leaves[item.leaf].name
        return ("loop", self.loops[item.number] if item.number < len(self.loops) else None)


def grouped(items: Sequence[tuple[Item, int]], name_of: Callable[[Item], Hashable]) -> Body:
    groups: list[tuple[Hashable, list[tuple[Item, int]]]] = []
    for item, times in items:
        name = name_of(item)
        if groups and groups[-1][0] == name:
            groups[-1][1].append((item, times))
        else:
            groups.append((name, [(item, times)]))
    return tuple(Group(name, tuple(members)) for name, members in groups)


def _append(runs: list[tuple[Body, int]], body: Body, times: int) -> None:
    if runs and runs[-1][0] is body:
        runs[-1] = (body, runs[-1][1] + times)
    else:
        runs.append((body, times))
