"""Times per iteration, or per run: ratios with intervals, and which of them are differences beyond the noise."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from leadline.compare.subject import MAIN_LOOP, Group, Part, Subject
from leadline.statistics import welch as stats
from leadline.statistics.welch import Ratio

# Less is not claimed, whatever an interval says: of the time itself, and of the iteration (or run) it is a part of.
LEAST_OF_REPEATS = 0.02
LEAST_OF_ONE = 0.05
WORTH_OF_REPEATS = 0.01
WORTH_OF_ONE = 0.02
FLOOR = 0.75
CARRIED = 0.5
FEW_RANKS = 32
PARTS = 24  # of a run, for what is undisturbed in each
TESTED = 0.01  # of the time of an iteration: smaller parts are not tested
WHOLES = ("run", "iteration", "mean")
# A mean whose change differs from the median's by more than this, and by such a share of the larger one, is what counts
APART = 0.02
APART_OF_CHANGE = 0.25


@dataclass(frozen=True)
class Metric:
    """level: "run", "iteration" (the median), "mean" (of the iterations), "computation", "rank", "phase", "function" or
    "site".

    a, b: seconds, mean of the ranks, per iteration or per run (per_iteration); of a rank: its computation, divided by
    that of the others (median).   ratio: None without an interval, which then supports no claim.   claimed: beyond the
    noise.   floor: of one run each, the same ratio of what a tenth of the iterations stay below.
    supported: whether these runs can say anything about it.
    """

    level: str
    name: str
    a: float
    b: float
    per_iteration: bool
    ratio: Ratio | None
    claimed: bool = False
    key: tuple[str, ...] = ()
    weight: float = 0.0  # the change as a share of an iteration
    floor: float | None = None
    supported: bool = True

    @property
    def solid(self) -> bool:
        """Whether undisturbed iterations, too, differ by three quarters of it at least.

        Other load on the machine comes and goes, so some iterations run as they would without it.
        """
        if self.floor is None or self.ratio is None:
            return self.ratio is not None
        change = math.log(self.ratio.value)
        return change != 0 and math.log(self.floor) / change >= FLOOR

    @property
    def value(self) -> float | None:
        """b / a, with or without an interval."""
        return self.ratio.value if self.ratio is not None else self.b / self.a if self.a > 0 else None


@dataclass(frozen=True)
class _Pair:
    a: Group
    b: Group

    @property
    def repeats(self) -> bool:
        return max(len(self.a.runs), len(self.b.runs)) > 1

    @property
    def extra(self) -> float:
        """Ranks that waited for a core may have taken longer by that share."""
        if self.repeats:
            return 0.0
        return max(-math.log(1 - min(run.waited_share or 0.0, 0.99)) for run in (self.a.first, self.b.first))

    def samples(
        self, value: Callable[[Subject], float | None], series: Callable[[Subject], Sequence[float]]
    ) -> tuple[list[float], list[float]]:
        """Of repeats a value per run; otherwise the blocks of each run."""
        if self.repeats:
            one, other = ([value(run) or 0.0 for run in group.runs] for group in (self.a, self.b))
        else:
            one, other = (stats.blocks(series(group.first)) for group in (self.a, self.b))
        return one, other

    def metric(
        self,
        level: str,
        name: str,
        value: Callable[[Subject], float | None],
        series: Callable[[Subject], Sequence[float]],
        *,
        per_iteration: bool,
        key: tuple[str, ...] = (),
        rounded: float = 0.0,
    ) -> Metric:
        """With an interval, the values are those whose ratio it is of. rounded: a share by which each may be off."""
        one, other = self.samples(value, series)
        before, after = (value(group.first) or 0.0 for group in (self.a, self.b))
        if self.repeats:
            ratio = stats.of_repeats(one, other, 2 * math.log1p(rounded))
        else:
            ratio = stats.of_blocks(one, other, (before, after), self.extra)
        if ratio is not None:
            before, after = ratio.a, ratio.b
        floor = None
        if ratio is not None and not self.repeats:
            lows = [statistics.quantiles(series(group.first), n=10)[0] for group in (self.a, self.b)]
            floor = lows[1] / lows[0] if min(lows) > 0 else None
        return Metric(level, name, before, after, per_iteration, ratio, key=key, floor=floor)


def metrics(a: Group, b: Group) -> list[Metric]:
    """All, the whole first. Those of sites, functions and phases are of what both have."""
    pair = _Pair(a, b)
    found = [
        *_whole(pair),
        *_ranks(pair),
        *_parts(pair, "phase", lambda run: run.phases),
        *_parts(pair, "function", lambda run: run.functions),
        *_parts(pair, "site", lambda run: run.sites),
    ]
    return _claimed(found, pair)


def main_of(found: Sequence[Metric]) -> Metric:
    """What the verdict is about: an iteration, or the whole run where there are none.

    The median, which a few disturbed iterations do not move; but the mean if that changed otherwise, because the median
    leaves out what does not happen in every iteration.
    """
    median, mean = (next((m for m in found if m.level == level), None) for level in ("iteration", "mean"))
    if median is None:
        return found[0]
    return mean if mean is not None and differs_otherwise(median.value, mean.value) else median


def whole_and_parts(found: Sequence[Metric], most: int) -> list[Metric]:
    """For a short table: the whole, and phases; without any, functions. The main loop is there as "mean"."""
    whole = [m for m in found if m.level in (*WHOLES, "computation")]
    mean = any(m.level == "mean" for m in found)
    parts = [m for m in found if m.level == "phase" and not (mean and m.key[:1] == (MAIN_LOOP,))]
    return whole + (parts or [m for m in found if m.level == "function"])[:most]


def differs_otherwise(median: float | None, mean: float | None) -> bool:
    """Whether the means of two runs have another ratio than their medians: in the other direction, or by much."""
    if not median or not mean:
        return False
    one, other = math.log(median), math.log(mean)
    return abs(one - other) > max(math.log1p(APART), APART_OF_CHANGE * max(abs(one), abs(other)))


def _whole(pair: _Pair) -> list[Metric]:
    found = [pair.metric("run", "whole run", lambda run: run.elapsed_s, lambda run: (), per_iteration=False)]
    if all(run.iteration_s for group in (pair.a, pair.b) for run in group.runs):
        found.append(
            pair.metric("iteration", "iteration", lambda r: r.step_s, lambda r: r.steady_s, per_iteration=True)
        )
        found.append(pair.metric("mean", "mean iteration", lambda r: r.mean_s, lambda r: (), per_iteration=True))
    if all(run.rank_computation for group in (pair.a, pair.b) for run in group.runs):
        steps = all(run.iterations for group in (pair.a, pair.b) for run in group.runs)
        found.append(
            pair.metric(
                "computation",
                "computation in the main loop" if steps else "computation",
                lambda run: statistics.median(computation(run)) if computation(run) else None,
                computation,
                per_iteration=steps,
            )
        )
    return found


def computation(run: Subject) -> list[float]:
    """By kept iteration, seconds of the mean rank."""
    return [statistics.fmean(each) for each in zip(*run.rank_computation.values(), strict=True)]


def _ranks(pair: _Pair) -> list[Metric]:
    """Computation of each rank, divided by that of the others at the same time: what slows all down cancels."""
    first, second = pair.a.first, pair.b.first
    if first.ranks != second.ranks or len(first.rank_computation) < 2:
        return []
    runs = [run for group in (pair.a, pair.b) for run in group.runs]
    if any(set(run.rank_computation) != set(first.rank_computation) for run in runs):
        return []
    if not all(all(run.rank_computation.values()) for run in runs):
        return []

    relative = {id(run): _relative(run) for run in runs}

    def of(rank: int) -> Metric:
        def middle(run: Subject) -> float | None:
            values = relative[id(run)][rank]
            return statistics.median(values) if values else None

        return pair.metric(
            "rank",
            f"computation of rank {rank} relative to the others",
            middle,
            lambda run: relative[id(run)][rank],
            per_iteration=True,
            key=(str(rank),),
        )

    found = [of(rank) for rank in first.rank_computation]
    if len(found) == 2:  # each is the other's inverse: take the one whose own computation changed more
        change = [_own_change(pair, rank) for rank in first.rank_computation]
        return [found[0] if change[0] > change[1] else found[1]]
    return found


def _relative(run: Subject) -> dict[int, list[float]]:
    """By rank, for each part of the run, its undisturbed computation divided by that of the others (median)."""
    every = _undisturbed(run)
    of_all = [statistics.median(part) for part in zip(*every.values(), strict=True)]
    found = {}
    for rank, own in every.items():
        middle: Sequence[float] = of_all
        if len(every) <= FEW_RANKS:  # where one more or one fewer matters
            others = [values for key, values in every.items() if key != rank]
            middle = [statistics.median(part) for part in zip(*others, strict=True)]
        found[rank] = [mine / theirs for mine, theirs in zip(own, middle, strict=True) if mine > 0 and theirs > 0]
    return found


def _undisturbed(run: Subject) -> Mapping[int, Sequence[float]]:
    """By rank, what a tenth of the iterations of each part of the run stay below: who has to share a core computes
    longer in the other iterations. Parts are single iterations where there are few."""
    n = min(len(values) for values in run.rank_computation.values())
    edges = [round(i * n / min(n, PARTS)) for i in range(min(n, PARTS) + 1)]
    return {
        rank: [sorted(values[a:b])[(b - a) // 10] for a, b in itertools.pairwise(edges)]
        for rank, values in run.rank_computation.items()
    }


def _own_change(pair: _Pair, rank: int) -> float:
    one, other = (
        statistics.median(statistics.median(_undisturbed(run)[rank]) for run in group.runs)
        for group in (pair.a, pair.b)
    )
    return abs(other / one - 1) if one > 0 else 0.0


def _parts(pair: _Pair, level: str, of: Callable[[Subject], Sequence[Part]]) -> list[Metric]:
    def named(run: Subject) -> dict[tuple[str, ...], Part]:
        return {part.key: part for part in of(run) if not part.local}

    by_run = {id(run): named(run) for group in (pair.a, pair.b) for run in group.runs}
    found = []
    for key, part in by_run[id(pair.a.first)].items():
        parts = [each.get(key) for each in by_run.values()]
        if any(each is None or each.in_loop != part.in_loop for each in parts):
            continue

        def value(run: Subject, key: tuple[str, ...] = key, in_loop: bool = part.in_loop) -> float:
            part = by_run[id(run)][key]
            if not pair.repeats and part.series:  # what the interval is made from
                return statistics.median(part.series) / run.ranks
            return part.time_s / run.ranks / (run.iterations if in_loop and run.iterations else 1)

        def series(run: Subject, key: tuple[str, ...] = key) -> Sequence[float]:
            return [seconds / run.ranks for seconds in by_run[id(run)][key].series]

        known = [each for each in parts if each is not None and each.time_s > 0]
        rounded = max((each.time_error_s / each.time_s for each in known), default=0.0)
        found.append(
            pair.metric(level, part.full_name, value, series, per_iteration=part.in_loop, key=key, rounded=rounded)
        )
    return sorted(found, key=lambda metric: -max(metric.a, metric.b))


def _supported(metric: Metric, pair: _Pair) -> bool:
    """Whether these runs can support any claim about it.

    Single runs show nothing about times: times depend on where ranks and memory are and on what else the machine does,
    which changes more between runs than within one. What remains is a rank relative to the others of the same run.
    """
    if pair.repeats:
        return True
    if metric.level != "rank" or not metric.solid or metric.ratio is None:
        return False
    # Ranks may have traded places, and cores differ in speed where they are shared with others.
    grown = abs(_imbalance(pair.b.first) - _imbalance(pair.a.first))
    return grown >= CARRIED * abs(math.log(metric.ratio.value))


def _imbalance(run: Subject) -> float:
    """Logarithm of the longest computation of a rank, divided by that of the others."""
    each = sorted(statistics.median(values) for values in _undisturbed(run).values())
    others = statistics.median(each[:-1])
    return math.log(each[-1] / others) if others > 0 else 0.0


def _claimed(found: list[Metric], pair: _Pair) -> list[Metric]:
    """Marks those beyond the noise: significant after Holm's correction, and large enough to matter."""
    least, worth = (LEAST_OF_REPEATS, WORTH_OF_REPEATS) if pair.repeats else (LEAST_OF_ONE, WORTH_OF_ONE)
    weighed = [replace(metric, weight=_weight(metric, pair), supported=_supported(metric, pair)) for metric in found]
    tested = [i for i, m in enumerate(weighed) if m.ratio is not None and m.supported and _size(m, pair) >= TESTED]
    rejected = stats.holm([ratio.p for i in tested if (ratio := weighed[i].ratio) is not None])
    for index, beyond in zip(tested, rejected, strict=True):
        metric = weighed[index]
        assert metric.ratio is not None
        large = abs(metric.ratio.value - 1) >= least and abs(metric.weight) >= worth
        weighed[index] = replace(metric, claimed=beyond and large)
    return weighed


def _whole_of(metric: Metric, pair: _Pair) -> float:
    """What the metric is a part of: the time of an iteration, or of the run."""
    per_run = statistics.median(run.elapsed_s for run in pair.a.runs)
    steps = [run.step_s or 0.0 for run in pair.a.runs]
    return statistics.median(steps) if metric.per_iteration and min(steps) > 0 else per_run


def _size(metric: Metric, pair: _Pair) -> float:
    if metric.level in (*WHOLES, "rank"):
        return 1.0
    whole = _whole_of(metric, pair)
    return max(metric.a, metric.b) / whole if whole > 0 else 0.0


def _weight(metric: Metric, pair: _Pair) -> float:
    if metric.level in (*WHOLES, "rank"):
        return metric.b / metric.a - 1 if metric.a > 0 else 0.0
    whole = _whole_of(metric, pair)
    return (metric.b - metric.a) / whole if whole > 0 else 0.0
