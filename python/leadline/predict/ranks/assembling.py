"""An extrapolated program as a tree for the replay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leadline import _core
from leadline.predict.ranks.building import Grown, counts
from leadline.predict.ranks.computation import Computation
from leadline.predict.ranks.growth import Extrapolation


def tree_with(
    found: Extrapolation,
    grown: Grown,
    computation: Computation,
    recorded: _core.Recorded,
    last: _core.ReplayTree,
    bound: str = "of",
) -> _core.ReplayTree:
    """recorded, last: the run of most ranks.   bound: of computation: "of" is likely, "low", "high"."""
    growing = _core.Growing(last)
    extents = found.rule.extents(grown.size) or (grown.size,)
    for identity, members in grown.communicators.items():
        growing.add_communicator(identity, list(members))
    calls_in = counts(grown)
    classes: dict[int, tuple[int, list[int]]] = {}
    tree = found.trees[-1]
    nodes = sorted({own.node for own in tree.ranks})
    per_node = max(1, tree.size // len(nodes))
    before = {call.number: computation.factor(call.number, grown.size, extents, bound) for call in found.fitting.calls}
    during = {
        call.number: (grown.size - 1).bit_length() / max((tree.size - 1).bit_length(), 1)
        if call.leaf.collective
        else 1.0
        for call in found.fitting.calls
    }
    for rank, root in enumerate(grown.roots):
        if root not in classes:
            classes[root] = _add_class(growing, grown, root, sorted(calls_in[root]))
        of_class, leaves = classes[root]
        node = rank // per_node if len(nodes) > 1 else 0
        growing.add_rank(of_class, node, tree.ranks[grown.alike[rank]].begin_ns)
        for leaf in leaves:
            columns = grown.columns[rank][leaf]
            parts = [(v.identity, *_peers(v.world, rank), v.tag, v.posted, v.sent, v.received) for v in columns.parts]
            call = grown.leaves[leaf].call
            times = (*columns.source, before[call], during[call], calls_in[root][leaf])
            growing.add_call(columns.identity, columns.root, columns.root, columns.posted, parts, times)
    return growing.tree(recorded)


def _peers(world: int | None, rank: int) -> tuple[int, int, int]:
    """Relative, in the communicator, and in MPI_COMM_WORLD."""
    if world is None:
        null = _core.tree_null_peer()
        return null, null, -1
    return (world - rank, world, world) if world >= 0 else (0, world, world)


def _add_class(growing: _core.Growing, grown: Grown, root: int, leaves: list[int]) -> tuple[int, list[int]]:
    places = {leaf: number for number, leaf in enumerate(leaves)}
    bodies: list[list[tuple[int, bool, int]]] = []
    loops: list[int] = []
    iterations: list[bool] = []
    known: dict[tuple[int, bool], int] = {}
    main = 0

    def put(elements: list[tuple[int, bool, int]], loop: int, iteration: bool) -> int:
        bodies.append(elements)
        loops.append(loop)
        iterations.append(iteration)
        return len(bodies) - 1

    def elements_of(elements: Sequence[tuple[Any, ...]]) -> list[tuple[int, bool, int]]:
        nonlocal main
        made: list[tuple[int, bool, int]] = []
        for kind, *rest in elements:
            if kind == "call":
                made.append((places[rest[0]] + 2, False, rest[1]))
            elif kind == "body":
                made.append((body(rest[0], True), True, rest[1]))
            else:
                number, is_main, inner, times = rest
                at = put(elements_of(inner), number, False)
                if is_main:
                    main = at
                    at = put([(0, False, 1), (at, True, 1), (1, False, 1)], 0, False)
                made.append((at, True, times))
        return made

    def body(number: int, iteration: bool) -> int:
        if (number, iteration) not in known:
            known[number, iteration] = put(elements_of(grown.bodies[number]), 0, iteration)
        return known[number, iteration]

    at = body(root, False)
    of_class = growing.add_class(bodies, loops, iterations, at, main, len(leaves))
    for leaf in leaves:
        made = grown.leaves[leaf]
        growing.add_leaf(of_class, made.of_class, made.leaf, made.call, list(made.parts))
    return of_class, leaves
