"""From runs of several numbers of ranks to the program of another number."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from leadline.errors import UsageError
from leadline.predict.ranks.building import Building, Grown, without_other_end
from leadline.predict.ranks.faces import moved
from leadline.predict.ranks.fitting import Fitting
from leadline.predict.ranks.forms import Point
from leadline.predict.ranks.grids import Rule, coordinates, factorised, rules
from leadline.predict.ranks.program import NoFit, NotShown, ProgramBody, Quantity
from leadline.predict.ranks.recorded_tree import Grid, RecordedTree
from leadline.predict.ranks.requests import completions_of

ENOUGH = 2  # conditions: no other grid is tried
MOST_GRIDS = 8  # that are tried


@dataclass
class Extrapolation:
    """trees: by number of ranks, ascending.   quantities: that depend on the number of ranks."""

    trees: list[RecordedTree]
    fitting: Fitting
    program: ProgramBody
    rule: Rule
    quantities: list[Quantity] = field(default_factory=list)

    def other_grids(self, size: int) -> list[tuple[int, ...]]:
        """That rules give by which the runs have their grids, too."""
        if self.rule.given or self.rule.dimensions == 1:
            return []
        recorded = {t.size: [e] for t, e in zip(self.trees, self.fitting.extents, strict=True)}
        found = {rule.extents(size) for rule in rules(recorded)} - {self.rule.extents(size), None}
        return sorted(extents for extents in found if extents is not None)

    def grown(self, size: int) -> Grown:
        extents = self.rule.extents(size)
        if extents is None:
            raise UsageError(f"--ranks {size}: no grid of the form that the runs have fits", hint="--grid")
        self._refuse_what_two_ranks_do_not_show(size, extents)
        try:
            made = Building(self.fitting, self.program, size, extents).made
        except NoFit as error:
            raise UsageError(refusal(self.trees[-1], error)) from error
        alone = without_other_end(made, self.trees[-1])
        if alone is not None:
            call, rank, other = alone
            where = place_of(self.trees[-1], self.fitting.calls[call].leaf.name)
            raise UsageError(
                f"--ranks {size}: {where}: of its messages between ranks {rank} and {other}, as many are not sent as "
                "received, so a form that fits the runs is not the program's",
                hint="record runs on more ranks",
            )
        return made

    def _refuse_what_two_ranks_do_not_show(self, size: int, extents: tuple[int, ...]) -> None:
        """Both of two ranks along a dimension are ends: without the recorded grid, nothing shows what a rank between
        others does, nor that those two are neighbours rather than partners by a bit of their numbers."""
        if self.fitting.closes or self.rule.dimensions == 1:
            return
        if max(map(max, self.fitting.extents)) == 2 < max(extents):
            raise UsageError(
                f"--ranks {size}: no run has more than two ranks along a dimension, so what a rank between two others "
                "does is unknown, and the runs did not record a grid of MPI_Cart_create",
                hint="record a run on more ranks",
            )


def refusal(tree: RecordedTree, error: NoFit) -> str:
    return f"--ranks: {place_of(tree, error.name)}: {error.what}"


def place_of(tree: RecordedTree, name: Hashable) -> str:
    return tree.places.get(name[0] if isinstance(name, tuple) and name[0] != "loop" else name, "a call or loop")


def extrapolation_of(trees: Sequence[RecordedTree], size: int, grid: tuple[int, ...] = ()) -> Extrapolation:
    """grid: extents for `size`, (): as the rule of the runs says. Raises UsageError with the site that does
    not fit."""
    trees = sorted(trees, key=lambda tree: tree.size)
    if len({tree.size for tree in trees}) < 2:
        raise UsageError("--ranks: runs with two or more different numbers of ranks are needed")
    completions = [[completions_of(b, ls) for b, ls in zip(t.bodies, t.leaves, strict=True)] for t in trees]
    failed: NoFit | None = None
    best: tuple[tuple[int, int], Extrapolation] | None = None
    for order, (rule, closes) in enumerate(_rules(trees, size, grid)):
        extents = [rule.extents(tree.size) or (tree.size,) for tree in trees]
        fitting = Fitting(list(trees), extents, completions, closes=closes)
        if best is not None:
            fitting.most = best[0][0] - 1
        samples = [
            (Point(tree.size, rank, e, coordinates(rank, e)), run, tree.bodies[tree.ranks[rank].of_class])
            for run, (tree, e) in enumerate(zip(trees, extents, strict=True))
            for rank in range(tree.size)
        ]
        try:
            program = fitting.body(samples)
        except NoFit as error:
            if isinstance(error, NotShown) and not closes:
                raise UsageError(refusal(trees[-1], error), hint="record a run on more ranks") from error
            failed = failed or error
            continue
        cost = fitting.cost
        found = Extrapolation(list(trees), fitting, program, rule, fitting.quantities)
        if best is None or (cost, order) < best[0]:
            best = ((cost, order), found)
        if cost <= ENOUGH or closes:
            break
    if best is None:
        assert failed is not None
        raise UsageError(refusal(trees[-1], failed))
    return best[1]


def _rules(trees: Sequence[RecordedTree], size: int, grid: tuple[int, ...]) -> Iterator[tuple[Rule, tuple[bool, ...]]]:
    """With, of each dimension of a recorded grid, whether its ends are neighbours; (): the grid was not recorded."""
    yield from _recorded_rules(trees, size, grid)
    for rule in _possible_rules(trees, size, grid):
        yield rule, ()


def _recorded_rules(
    trees: Sequence[RecordedTree], size: int, grid: tuple[int, ...]
) -> Iterator[tuple[Rule, tuple[bool, ...]]]:
    """Of the Cartesian communicators that all runs made and whose neighbours exchange messages."""
    for dimensions in (3, 2):
        if grid and len(grid) != dimensions:
            continue
        known = {t.size: next((g for g in t.grids if len(g.extents) == dimensions), None) for t in trees}
        grids = {of: one for of, one in known.items() if one is not None}
        closes = {one.closes for one in grids.values()}
        if len(grids) < len(known) or len(closes) > 1 or not _neighbours_exchange(trees[-1], grids[trees[-1].size]):
            continue
        extents = {of: one.extents for of, one in grids.items()}
        if grid:
            yield Rule(dimensions, given=(*extents.items(), (size, grid))), closes.pop()
            continue
        for rule in rules({of: [one] for of, one in extents.items()})[:1]:
            yield rule, closes.pop()


def _neighbours_exchange(tree: RecordedTree, grid: Grid) -> bool:
    """Whether messages go along each dimension alone."""
    along = {moved(rank, partner, grid.extents) for rank, partner in _pairs(tree)}
    return all((k,) in along for k, extent in enumerate(grid.extents) if extent > 1)


def _pairs(tree: RecordedTree) -> set[tuple[int, int]]:
    """Ranks and their partners, rank 0 aside, which may be a root."""
    return {
        (rank, part.world)
        for rank, own in enumerate(tree.ranks)
        for call in own.calls
        for part in call.parts
        if part.world is not None and part.world > 0 and rank > 0
    }


def _possible_rules(trees: Sequence[RecordedTree], size: int, grid: tuple[int, ...]) -> Iterator[Rule]:
    if len(grid) < 2:
        yield Rule(1)
    for dimensions in (2, 3) if not grid else (len(grid),):
        if dimensions < 2:
            continue
        fitting = {tree.size: _fitting_extents(tree, dimensions) for tree in trees}
        if not all(fitting.values()):
            continue
        if grid:
            for several in itertools.islice(itertools.product(*fitting.values()), MOST_GRIDS):
                known = tuple(zip(fitting, several, strict=True))
                yield Rule(dimensions, given=(*known, (size, grid)))
            continue
        seen: set[tuple[tuple[int, ...] | None, ...]] = set()
        for rule in rules(fitting):
            key = tuple(rule.extents(tree.size) for tree in trees)
            if key not in seen and len(seen) < MOST_GRIDS:
                seen.add(key)
                yield rule


def _fitting_extents(tree: RecordedTree, dimensions: int) -> list[tuple[int, ...]]:
    """In which partners are neighbours."""
    pairs = _pairs(tree)
    found = []
    for extents in factorised(tree.size, dimensions):
        places = [coordinates(rank, extents) for rank in range(tree.size)]

        def near(one: int, other: int, e: tuple[int, ...] = extents, at: list[tuple[int, ...]] = places) -> bool:
            return all(min(abs(a - b), n - abs(a - b)) <= 1 for a, b, n in zip(at[one], at[other], e, strict=True))

        if all(near(one, other) for one, other in pairs):
            found.append(extents)
    return found
