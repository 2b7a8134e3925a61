"""The comparison as one object: docs/compare/compare.md describes it."""

from __future__ import annotations

import math
from typing import Any

from leadline import __version__
from leadline.compare.comparison import Comparison, Pair
from leadline.compare.environment import Difference
from leadline.compare.scaling import Scaling
from leadline.compare.subject import Concern, Group
from leadline.compare.times import Metric
from leadline.compare.words import basis, letter, sentence, unchanged, verdict

SCHEMA = "leadline.compare/1"


def as_json(comparison: Comparison) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "leadline": __version__,
        "verdict": verdict(comparison),
        "groups": [_group(index, group) for index, group in enumerate(comparison.groups)],
        "environment": [_difference(each) for each in comparison.differences],
        "limits": list(comparison.limits),
        "pairs": [_pair(index, pair) for index, pair in enumerate(comparison.pairs, 1)],
        "scaling": _scaling(comparison.scaling),
    }


def _group(index: int, group: Group) -> dict[str, Any]:
    return {
        "id": letter(index),
        "name": group.name,
        "ranks": group.first.ranks,
        "runs": [
            {
                "run": run.name,
                "program": run.program or None,
                "tool": run.tool,
                "predicted": run.predicted,
                "environment": dict(run.environment),
                "iterations": run.iterations,
                "main_loop": run.main_loop or None,
                "step_s": run.step_s,
                "mean_iteration_s": run.mean_s,
                "iteration_s": list(run.iteration_s),
                "elapsed_s": run.elapsed_s,
                "computation_s": run.computation_s,
                "mpi_s": run.mpi_s,
                "io_s": run.io_s,
                "waited_share": run.waited_share,
                "load_balance": run.load_balance,
                "communication": run.communication,
                "notes": list(run.notes),
            }
            for run in group.runs
        ],
    }


def _difference(each: Difference) -> dict[str, Any]:
    return {"title": each.title, "values": list(each.values), "unknown": each.unknown}


def _pair(index: int, pair: Pair) -> dict[str, Any]:
    return {
        "verdict": sentence(pair),
        "base": letter(0),
        "compared": letter(index),
        "repeats": pair.repeats,
        "basis": basis(pair),
        "unchanged": None if pair.claims else unchanged(pair),
        "environment": [_difference(each) for each in pair.differences],
        "differences": [
            {
                "kind": claim.kind,
                "text": claim.text,
                "details": list(claim.details),
                "alongside": [metric.name for metric in claim.alongside],
            }
            for claim in pair.claims
        ],
        "structure": [
            {
                "kind": change.kind,
                "where": change.place,
                "before": change.before,
                "after": change.after,
                "per_iteration": change.per_iteration,
                "cause": number,
            }
            for number, cause in enumerate(pair.causes)
            for change in cause.changes
        ],
        "portions": [{"what": portion.what, "seconds": portion.seconds} for portion in pair.portions],
        "findings_gone": [_concern(concern) for concern in pair.concerns.went],
        "findings_new": [_concern(concern) for concern in pair.concerns.came],
        "times": [_metric(metric) for metric in pair.metrics],
    }


def _concern(concern: Concern) -> dict[str, Any]:
    return {"id": concern.key[0], "text": concern.text, "cost_s": concern.cost_s}


def _metric(metric: Metric) -> dict[str, Any]:
    ratio = metric.ratio
    return {
        "level": metric.level,
        "name": metric.name,
        "key": list(metric.key),
        "a": metric.a,
        "b": metric.b,
        "per_iteration": metric.per_iteration,
        "ratio": metric.value,
        "low": _finite(ratio.low) if ratio is not None else None,
        "high": _finite(ratio.high) if ratio is not None else None,
        "p": ratio.p if ratio is not None else None,
        "claimed": metric.claimed,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _scaling(found: Scaling | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "kind": found.kind or None,
        "basis": found.basis,
        "per_iteration": found.per_iteration,
        "curves": [
            {
                "name": curve.name,
                "points": [
                    {
                        "ranks": point.ranks,
                        "time_s": point.time_s,
                        "scalability": point.scalability,
                        "efficiency": point.efficiency,
                        "computation_scaling": point.computation_scaling,
                    }
                    for point in curve.points
                ],
            }
            for curve in found.curves
        ],
    }
