"""What the comparison says: each difference beyond the noise once, what explains others before them.

Counts are exact and come first. A time that changed where counts also changed is reported with them: one pair of runs
cannot separate the two. If a rank computes longer relative to the others, waiting for it is reported with that. A call
that takes longer makes its function and the iteration longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leadline.compare.environment import Difference
from leadline.compare.structure import Cause
from leadline.compare.subject import MAIN_LOOP, Group
from leadline.compare.times import WHOLES, Metric, main_of
from leadline.text import format as fmt

MOST_PLACES = 3


@dataclass(frozen=True)
class Claim:
    """kind: "ranks", "structure", "imbalance", "computation", "call" or "time".   text: a sentence without its end.

    details: the changes or figures it is made of.   alongside: times that changed with it.   of: the time it is about.
    """

    kind: str
    text: str
    details: Sequence[str] = ()
    alongside: Sequence[Metric] = field(default_factory=tuple)
    of: Metric | None = None


def claims_of(
    a: Group, b: Group, causes: Sequence[Cause], metrics: Sequence[Metric], environment: Sequence[Difference]
) -> list[Claim]:
    told = any(metric.level == "mean" for metric in metrics)  # the main loop's mean iteration: once is enough
    claimed = [m for m in metrics if m.claimed and not (told and m.level == "phase" and m.key[:1] == (MAIN_LOOP,))]
    if a.first.ranks != b.first.ranks:
        return [_ranks(a, b, metrics)]
    if causes:
        apart = _apart(claimed)
        beside = [metric for metric in claimed if metric not in apart]
        counts = [
            Claim("structure", _cause_text(cause), [c.text for c in cause.changes], beside if number == 0 else ())
            for number, cause in enumerate(causes)
        ]
        return counts + [Claim(_KINDS[metric.level], _time_text(metric), of=metric) for metric in apart]
    if not claimed:
        return []
    first = _leading(claimed)
    others = tuple(metric for metric in claimed if metric is not first)
    return [Claim(_KINDS[first.level], _time_text(first), (), others, first)]


_KINDS = {
    "rank": "imbalance",
    "computation": "computation",
    "site": "call",
    "function": "call",
    "phase": "time",
    "iteration": "time",
    "mean": "time",
    "run": "time",
}


def _apart(claimed: Sequence[Metric]) -> list[Metric]:
    """What does not follow from counts: the rank whose own computation changed most, or else the mean computation."""
    ranks = [metric for metric in claimed if metric.level == "rank"]
    if ranks:
        return [max(ranks, key=lambda metric: abs(metric.weight))]
    return [metric for metric in claimed if metric.level == "computation"]


def _leading(claimed: Sequence[Metric]) -> Metric:
    """A rank that computes longer explains the waiting for it; otherwise the largest part that explains the whole."""
    for levels in (("rank",), ("computation", "site"), ("function",), ("phase",)):
        found = [metric for metric in claimed if metric.level in levels]
        if found:
            return max(found, key=lambda metric: abs(metric.weight))
    return claimed[0]


def _ranks(a: Group, b: Group, metrics: Sequence[Metric]) -> Claim:
    main = main_of(metrics)
    what = f"{a.first.ranks} → {b.first.ranks} ranks"
    if main.a <= 0 or main.b <= 0:
        return Claim("ranks", what)
    text = f"{what}: {main.name} {fmt.seconds(main.a)} → {fmt.seconds(main.b)}"
    if not main.claimed:
        text += ", not proven" if max(len(a.runs), len(b.runs)) > 1 else ", one run each: not proven"
    return Claim("ranks", text)


def _cause_text(cause: Cause) -> str:
    first = cause.first
    alike = [change.where for change in cause.changes if change.kind == first.kind]
    names = list(dict.fromkeys(alike))
    where = ", ".join(names[:MOST_PLACES]) + (
        f" and {len(names) - MOST_PLACES} more" if len(names) > MOST_PLACES else ""
    )
    each = " per iteration" if first.per_iteration else ""
    numbers = first.numbers
    if first.kind == "iterations":
        return f"{numbers} iterations of the main loop"
    if first.kind == "all_messages":
        return f"{numbers} messages{each}, summed over ranks, {first.where}"
    if first.kind == "appeared":
        return f"{fmt.plural(len(alike), 'call site')} not in A: {where}"
    if first.kind == "went":
        return f"{fmt.plural(len(alike), 'call site')} only in A: {where}"
    if first.kind == "partners":
        return f"changed {where} ({numbers})"
    if first.kind == "trips":
        same = [
            c.where for c in cause.changes if c.kind == "trips" and (c.before, c.after) == (first.before, first.after)
        ]
        others = sum(change.kind == "trips" for change in cause.changes) - 1
        where = same[0] + (f" (and {others} more {'loop' if others == 1 else 'loops'})" if others else "")
        messages = [change for change in cause.changes if change.kind == "messages"]
        more = f", hence {_more(first.factor)} messages" if messages else ""
        each = " per iteration of the main loop" if first.per_iteration else ""
        return f"{where}: {numbers} iterations{each}{more}"
    if first.kind == "bytes":
        numbers = f"{fmt.size(first.before)} → {fmt.size(first.after)}"
        return f"{'larger' if first.factor > 1 else 'smaller'} messages ({numbers}) at {where}"
    return f"{_more(first.factor)} {first.kind} ({numbers}{each}) at {where}"


def _more(factor: float) -> str:
    """1.125 -> "12.5 % more", 3.0 -> "3.00 times as many"."""
    if factor >= 2:
        return f"{fmt.times(factor)} as many"
    return f"{fmt.number(abs(factor - 1) * 100)} % {'more' if factor > 1 else 'fewer'}"


def _time_text(metric: Metric) -> str:
    assert metric.ratio is not None
    ratio = metric.ratio
    span = f"95 % CI {fmt.change(ratio.low)} to {fmt.change(ratio.high)}"
    longer = "longer" if ratio.value > 1 else "shorter"
    by = fmt.times(ratio.value) if ratio.value >= 2 else f"{abs(ratio.value - 1) * 100:.1f} % {longer}"
    if metric.level == "rank":
        than = "as long as" if ratio.value >= 2 else "than"
        return f"rank {metric.key[0]} computes {by} {than} in A, relative to the other ranks ({span})"
    each = " per iteration" if metric.per_iteration and metric.level not in WHOLES else ""
    name = f"median {metric.name}" if metric.level == "iteration" else metric.name
    numbers = f"{fmt.seconds(metric.a)} → {fmt.seconds(metric.b)}{each}"
    as_long = " as long" if ratio.value >= 2 else ""
    return f"{name}: {numbers}, {by}{as_long} ({span})"
