"""How times change with the number of ranks."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leadline.compare.subject import Group, Subject
from leadline.compare.times import differs_otherwise

ALIKE = 0.25  # computation of one rank in runs of different size, relative: the problem grew with them


@dataclass(frozen=True)
class Point:
    """A phase, or the whole, at one number of ranks. time_s: of an iteration, or of the run; of a phase: mean of the
    ranks.

    scalability: time_s at the fewest ranks, divided by this: 1.45 is the study's "145 %".   efficiency: that, divided
    by the ratio of ranks (strong scaling), or that itself (weak scaling); None if the kind is unknown.
    computation_scaling: computation of all ranks at the fewest, divided by this (strong); of one rank (weak).
    """

    ranks: int
    time_s: float
    scalability: float
    efficiency: float | None
    computation_scaling: float | None


@dataclass(frozen=True)
class Curve:
    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Scaling:
    """kind: "strong", "weak" or "" (not known); basis: what that is guessed from."""

    kind: str
    basis: str
    per_iteration: bool
    curves: tuple[Curve, ...]


def scaling(groups: Sequence[Group]) -> Scaling | None:
    """None if all have the same number of ranks, or two groups have the same beside others."""
    counts = [group.first.ranks for group in groups]
    if len(set(counts)) != len(groups) or len(groups) < 2:
        return None
    ordered = sorted(groups, key=lambda group: group.first.ranks)
    per_iteration = all(run.step_s for group in ordered for run in group.runs)
    kind, basis = _kind(ordered, per_iteration)
    name, times = _whole(ordered) if per_iteration else ("run", _each(ordered, lambda run: run.elapsed_s))
    curves = [_curve(name, times, ordered, kind, per_iteration)]
    for phase in ordered[0].first.phases:
        if all(any(p.key == phase.key for p in run.phases) for group in ordered for run in group.runs):
            curves.append(_phase_curve(phase.name, phase.key, ordered, kind))
    return Scaling(kind, basis, per_iteration, tuple(curves))


def _kind(ordered: Sequence[Group], per_iteration: bool) -> tuple[str, str]:
    first, last = ordered[0].first, ordered[-1].first
    one, other = (_computation(group, per_iteration) / group.first.ranks for group in (ordered[0], ordered[-1]))
    if first.arguments is not None and first.arguments and first.arguments == last.arguments:
        return "strong", "same program arguments"
    if one <= 0 or other <= 0:
        return "", "computation was not recorded"
    if abs(other / one - 1) <= ALIKE:
        return "weak", "constant computation per rank"
    if abs(other * last.ranks / (one * first.ranks) - 1) <= ALIKE:
        return "strong", "constant total computation"
    return "", "neither computation per rank nor total computation is constant"


def _computation(group: Group, per_iteration: bool) -> float:
    """Of all ranks, per iteration or per run."""
    return statistics.median(run.computation_s / (run.iterations if per_iteration else 1) for run in group.runs)


def _each(ordered: Sequence[Group], of: Callable[[Subject], float | None]) -> list[float]:
    return [statistics.median(of(run) or 0.0 for run in group.runs) for group in ordered]


def _whole(ordered: Sequence[Group]) -> tuple[str, list[float]]:
    """Of an iteration: the median, or the mean if it changes otherwise."""
    medians, means = _each(ordered, lambda run: run.step_s), _each(ordered, lambda run: run.mean_s)
    if any(differs_otherwise(m / medians[0], n / means[0]) for m, n in zip(medians, means, strict=True)):
        return "mean iteration", means
    return "iteration", medians


def _curve(name: str, times: Sequence[float], ordered: Sequence[Group], kind: str, per_iteration: bool) -> Curve:
    computing = [_computation(group, per_iteration) for group in ordered]
    return Curve(name, _points([group.first.ranks for group in ordered], times, computing, kind))


def _phase_curve(name: str, key: tuple[str, ...], ordered: Sequence[Group], kind: str) -> Curve:
    """A phase's times are those of all ranks: the mean rank's is given. Of the main loop: per iteration."""
    times, computing = [], []
    for group in ordered:
        found = [(run, part) for run in group.runs for part in run.phases if part.key == key]
        scale = [run.ranks * (run.iterations if part.in_loop and run.iterations else 1) for run, part in found]
        times.append(statistics.median(p.time_s / n for (_, p), n in zip(found, scale, strict=True)))
        computing.append(
            statistics.median((p.computation_s or 0.0) * r.ranks / n for (r, p), n in zip(found, scale, strict=True))
        )
    return Curve(name, _points([group.first.ranks for group in ordered], times, computing, kind))


def _points(ranks: Sequence[int], times: Sequence[float], computing: Sequence[float], kind: str) -> tuple[Point, ...]:
    points = []
    for n, time_s, computation in zip(ranks, times, computing, strict=True):
        speedup = times[0] / time_s if time_s > 0 else 0.0
        of_all = computing[0] / computation if computation > 0 else None
        efficiency = {"strong": speedup * ranks[0] / n, "weak": speedup}.get(kind)
        per_rank = of_all * n / ranks[0] if of_all is not None else None
        points.append(Point(n, time_s, speedup, efficiency, {"strong": of_all, "weak": per_rank}.get(kind)))
    return tuple(points)
