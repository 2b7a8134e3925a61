"""The time of a program on numbers of ranks that nobody has recorded: its tree is extrapolated and replayed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from leadline import _core
from leadline.errors import UsageError
from leadline.figures.run import Run
from leadline.predict.changes import Made, apply
from leadline.predict.figures import Figures, widened
from leadline.predict.prediction import DRAWS, RUNS_DIFFER, Change, Prediction, Replays, figures_of
from leadline.predict.ranks import (
    Extrapolation,
    Grown,
    computation_of,
    extrapolation_of,
    place_of,
    read_tree,
    tree_with,
)
from leadline.text import format as fmt

BENDS = 0.5  # of the ranks' time: where efficiency, relative to the fewest recorded ranks, falls below it


@dataclass(frozen=True)
class Scaled:
    """A number that depends on the number of ranks. error: of the form, relative; 0: it holds for all recorded values.
    sure: more values were recorded than the form needs."""

    where: str
    what: str
    form: str
    error: float
    sure: bool


@dataclass(frozen=True)
class OnRanks:
    """iteration_s: of the main loop; None without one.   efficiency: time of the fewest recorded ranks times their
    number, over that of these: of an iteration, or without a main loop of the run. recorded: by a run."""

    ranks: int
    seconds: float
    low: float
    high: float
    messages: int
    efficiency: float
    iteration_s: float | None
    recorded: bool = False


@dataclass
class RanksPrediction:
    """whole: as of other predictions; its base is the run of most ranks.   curve: recorded and predicted numbers of
    ranks.   bends: the first number with an efficiency below BENDS; None: none has."""

    whole: Prediction
    grid: str
    curve: list[OnRanks]
    bends: int | None
    quantities: list[Scaled]


def predict_ranks(runs: Sequence[Run], size: int, change: Change, grid: tuple[int, ...] = ()) -> RanksPrediction:
    """Raises UsageError with the site whose values follow no form, or if the change cannot be made."""
    replays = sorted((Replays(run) for run in runs), key=lambda one: one.run.ranks)
    if grid and math.prod(grid) != size:
        raise UsageError(f"--grid {'x'.join(map(str, grid))}: its extents have to make {size} ranks")
    if change.hosts:
        raise UsageError("--place cannot be combined with --ranks")
    last = replays[-1]
    trees = [read_tree(one.run, one.tree) for one in replays]
    found = extrapolation_of(trees, size, grid)
    growing = _Growing(found, last, change)
    whole = last.predict(replace(change, program=()))
    sizes = sorted({2**k for k in range(1, size.bit_length()) if 2**k > last.run.ranks} | {size})
    curve = [_recorded(one, change) for one in replays]
    figures = whole.predicted
    for each in sizes if not grid else [size]:
        if each != size and found.rule.extents(each) is None:
            continue
        figures = growing.figures(each, DRAWS if each == size else 0)
        curve.append(_on_ranks(each, figures))
    curve = _with_efficiency(curve)
    whole.predicted = widened(figures, whole.error_of_base, abs(last.costs.error) + RUNS_DIFFER)
    whole.made = growing.made
    whole.notes += _notes(found, size, last.run.ranks)
    bends = next((one.ranks for one in curve if one.efficiency < BENDS), None)
    extents = found.rule.extents(size) or (size,)
    return RanksPrediction(whole, " x ".join(map(str, extents)), curve, bends, _quantities(found, growing))


class _Growing:
    def __init__(self, found: Extrapolation, last: Replays, change: Change) -> None:
        self.found, self.last, self.change = found, last, change
        self.computation = computation_of(found)
        self.made: list[Made] = []

    def figures(self, size: int, draws: int) -> Figures:
        grown = self.found.grown(size)
        several = [self._of(self._tree(grown, bound), draws) for bound in ("of", "low", "high")]
        likely, low, high = several
        iteration = likely.iteration
        if iteration and low.iteration and high.iteration:
            iteration = (iteration[0], min(iteration[1], low.iteration[1]), max(iteration[2], high.iteration[2]))
        return replace(
            likely, low=min(one.low for one in several), high=max(one.high for one in several), iteration=iteration
        )

    def _tree(self, grown: Grown, bound: str) -> _core.ReplayTree:
        tree = tree_with(self.found, grown, self.computation, self.last.recorded, self.last.tree, bound)
        self.made = apply(tree, self.last.run, self.change.program)
        return tree

    def _of(self, tree: _core.ReplayTree, draws: int) -> Figures:
        return figures_of(tree, self.change, self.last.costs, self.last.steps, draws)


def _recorded(one: Replays, change: Change) -> OnRanks:
    seconds, loop_s = one.times["whole"] or math.nan, one.times["loop"]
    iteration_s = loop_s / one.steps if loop_s and one.steps else None
    messages = one.predict(Change(network=change.network)).base.messages
    return OnRanks(one.run.ranks, seconds, seconds, seconds, messages, 1.0, iteration_s, recorded=True)


def _on_ranks(size: int, figures: Figures) -> OnRanks:
    iteration_s = figures.iteration[0] if figures.iteration else None
    return OnRanks(size, figures.seconds, figures.low, figures.high, figures.messages, 1.0, iteration_s)


def _with_efficiency(curve: Sequence[OnRanks]) -> list[OnRanks]:
    first = curve[0]
    by_iteration = all(one.iteration_s for one in curve)

    def cost(one: OnRanks) -> float:
        return one.ranks * (one.iteration_s or 0.0 if by_iteration else one.seconds)

    return [replace(one, efficiency=cost(first) / cost(one) if cost(one) else math.nan) for one in curve]


def _notes(found: Extrapolation, size: int, most: int) -> list[str]:
    notes = []
    unsure = sum(not q.sure for q in found.quantities)
    if unsure:
        notes.append(
            f"{fmt.plural(unsure, 'count')} and sizes follow a form that as few recorded numbers of ranks cannot check."
        )
    if others := found.other_grids(size):
        words = " or ".join("x".join(map(str, extents)) for extents in others[:3])
        notes.append(f"The runs' grids would also go with {words} for {size:,} ranks: see --grid.")
    dimensions = found.rule.dimensions
    for k in range(dimensions if dimensions > 1 else 0):
        notes += _notes_of_dimension(found, size, k)
    if size > 8 * most:
        notes.append(f"{size:,} ranks are more than 8 times the {most:,} that were recorded.")
    return notes


def _notes_of_dimension(found: Extrapolation, size: int, k: int) -> list[str]:
    notes = []
    extents = [(found.rule.extents(tree.size) or ())[k] for tree in found.trees]
    wanted = (found.rule.extents(size) or (0,) * (k + 1))[k]
    closes = found.fitting.closes
    if len(set(extents)) == 1 and wanted != extents[0]:
        others = "sizes and counts but those of faces" if closes else "sizes and counts"
        notes.append(
            f"All runs have {extents[0]:,} ranks along p{k} of the grid, but {size:,} ranks have {wanted:,}: "
            f"{others} that depend on p{k} are taken for constant."
        )
    if max(extents) == 2:
        unknown = "whether its ends are neighbours does not show"
        if closes:
            unknown = (
                "in which order a rank between two others exchanges with them does not show, nor calls that are made "
                "only then"
            )
        if not closes or wanted > 2:
            notes.append(f"No run has more than two ranks along p{k} of the grid: {unknown}.")
    return notes


def _quantities(found: Extrapolation, growing: _Growing) -> list[Scaled]:
    tree = found.trees[-1]
    seen: dict[tuple[str, str, str], Scaled] = {}
    for q in found.quantities:
        where = place_of(tree, q.name)
        seen.setdefault((where, q.what, q.form), Scaled(where, q.what, q.form, q.error, q.sure))
    for call in found.fitting.calls:
        trend = growing.computation.trends.get(call.number)
        if trend is not None:
            where = place_of(tree, call.leaf.name)
            one = Scaled(where, "computation before it", trend.form, trend.error, len(found.trees) > 2)
            seen.setdefault((where, one.what, one.form), one)
    return list(seen.values())
