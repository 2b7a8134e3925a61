"""`leadline tune --guidelines`: only what the library does worse than by its own parts is tuned."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from leadline.bench.asking import PARTS
from leadline.bench.guidelines import more_ranks, violations
from leadline.bench.output import on_more_ranks, violation_said
from leadline.bench.rows import Measurement
from leadline.operations import operations
from leadline.tuning.choosing import Choice

Sizes = Sequence[int]


def broken(
    measured: Callable[..., Measurement],
    say: Callable[[str], None],
    launcher: str,
    point: tuple[str, int],
    sizes: Sizes,
) -> list[dict[str, Any]]:
    """The guidelines that are broken there, as leadline.bench.guidelines.violations has them.

    measured: called with operation, sizes, number of processes, names of candidates, and more_ranks.
    point: operation and number of processes.   launcher: with {ranks}, or "".
    """
    if not sizes:
        return []
    operation, processes = point
    one_more, why_not = more_ranks(operation, processes, shlex.split(launcher) or None)
    if why_not:
        say(f"{operation}: {why_not}")
    found = measured(operation, sizes, processes, [PARTS], more_ranks=one_more)
    return violations(found.rows, on_more_ranks(found))


def split(sizes: Sequence[int], of_point: Sequence[dict[str, Any]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Sizes to tune, and those that may stay with the library.

    of_point: what is broken by one operation on one number of processes. If a rule of the operation is for any size,
    all sizes are to be tuned as soon as one is broken.
    """
    if not of_point:
        return (), tuple(sizes)
    if not operations()[of_point[0]["operation"]].sizes_are_known:
        return tuple(sizes), ()
    bad = {each["bytes"] for each in of_point}
    return tuple(size for size in sizes if size in bad), tuple(size for size in sizes if size not in bad)


def with_repairs(found: Iterable[dict[str, Any]], kept: Iterable[Choice]) -> list[dict[str, Any]]:
    """Each with `repair`: {algorithm, ratio} of the rule that serves its calls, or None.

    ratio: the library's own time divided by the algorithm's.
    """
    rules = {(choice.operation, choice.n_bytes, choice.processes): choice for choice in kept if not choice.is_native}
    repaired = []
    for each in found:
        choice = rules.get((each["operation"], each["bytes"], each["processes"]))
        repair = None if choice is None else {"algorithm": choice.algorithm, "ratio": choice.ratio}
        repaired.append({**each, "repair": repair})
    return repaired


def said(each: dict[str, Any]) -> str:
    repair = each["repair"]
    how = "no algorithm repairs it"
    if repair is not None:
        how = f"the table has {repair['algorithm']}: {repair['ratio']:.2f}×"
    return f"{violation_said(each)} on {each['processes']} ranks; {how}"
