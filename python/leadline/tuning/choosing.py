"""Chooses an algorithm for each point from its measurements, and turns points into rules. No clock is read here.

A candidate is taken if it is better than the library's own in every launch: each launch's interval, and that of all
launches, must be clear of 1. The best of these is the one whose interval begins highest. Among equally good ones,
neighbouring sizes take the same one if they can, because otherwise chance would decide.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from leadline.operations import operations
from leadline.tuning.table import MOST, Rule, merged

CLEAR_OF = 1.0
SHIM_US = (
    0.25  # the shim takes up to 0.2 of a call that it serves (docs/tune/shim.md), which would consume any smaller gain
)
ALIKE = 0.05  # candidates with ratios this close count as equal


@dataclass(frozen=True)
class Choice:
    """The choice for one point. algorithm: as leadline bench names it, "native" if nothing was better.

    ratio: native time / its time.   low, high: its interval.   launches: in which it was measured.
    elsewhere: the ratio in other circumstances, by their name ("written", "in_a_row").
    """

    operation: str
    n_bytes: int
    processes: int
    algorithm: str
    ratio: float = 1.0
    low: float = 1.0
    high: float = 1.0
    launches: int = 0
    elsewhere: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_native(self) -> bool:
        return self.algorithm == "native"


def holds(row: dict[str, Any], launches: int, at_least: float = CLEAR_OF) -> bool:
    """Whether the row's algorithm is better than the library's own, by enough, in each of this many launches."""
    ratio = row.get("ratio_to_native")
    if row["algorithm"] == "native" or row.get("correct") is not True or not ratio:
        return False
    each = row.get("ratio_by_launch", [])
    lows = [found["low"] for found in each]
    if len(each) < launches or any(low is None or low <= at_least for low in lows):
        return False
    time = row.get("median_us")
    if time is not None and time * (ratio["median"] - 1) < SHIM_US:
        return False
    return ratio["low"] is not None and ratio["low"] > at_least


def choose(rows: Iterable[dict[str, Any]], launches: int, at_least: float = CLEAR_OF) -> Choice:
    """The choice from the rows of one point."""
    return choices(rows, launches, at_least)[0]


def choices(rows: Iterable[dict[str, Any]], launches: int, at_least: float = CLEAR_OF) -> list[Choice]:
    """A choice for each point, by operation, processes and size."""
    points: dict[tuple[str, int, int], list[dict[str, Any]]] = {}
    for row in rows:
        points.setdefault((row["operation"], row["processes"], row["bytes"]), []).append(row)
    good = {key: _good(points[key], launches, at_least) for key in sorted(points)}
    found = []
    for (operation, processes), keys in itertools.groupby(good, key=lambda key: key[:2]):
        for run in _runs([(key[2], good[key]) for key in keys]):
            name = _common(run)
            for n_bytes, candidates in run:
                point = (operation, n_bytes, processes)
                if name is None:
                    found.append(Choice(*point, "native", launches=launches))
                else:
                    ratio = candidates[name]["ratio_to_native"]
                    found.append(Choice(*point, name, ratio["median"], ratio["low"], ratio["high"], launches))
    return found


Candidates = dict[str, dict[str, Any]]  # rows by algorithm


def _good(rows: Iterable[dict[str, Any]], launches: int, at_least: float) -> Candidates:
    """The best of a point, and those as good."""
    better = [row for row in rows if holds(row, launches, at_least)]
    if not better:
        return {}
    best = max(better, key=lambda row: row["ratio_to_native"]["low"])["ratio_to_native"]["median"]
    return {row["algorithm"]: row for row in better if row["ratio_to_native"]["median"] >= best * (1 - ALIKE)}


def _runs(points: Sequence[tuple[int, Candidates]]) -> list[list[tuple[int, Candidates]]]:
    """The smallest number of runs of sizes, in each of which one algorithm is good everywhere, or none anywhere."""
    runs: list[list[tuple[int, Candidates]]] = []
    common: set[str] = set()
    for n_bytes, candidates in points:
        shared = common & candidates.keys()
        if runs and (shared or (not common and not candidates)):
            runs[-1].append((n_bytes, candidates))
            common = shared
        else:
            runs.append([(n_bytes, candidates)])
            common = set(candidates)
    return runs


def _common(run: Sequence[tuple[int, Candidates]]) -> str | None:
    """Among the algorithms that are good in the whole run, the one with the fewest parameters, always the same one;
    None: native."""
    names = [name for name in run[0][1] if all(name in candidates for _, candidates in run)]
    return min(names, key=lambda name: (name.count(":"), name), default=None)


def gaps(found: Sequence[Choice], closest: float) -> list[tuple[Choice, Choice]]:
    """Neighbouring sizes that chose differently and are further apart than the factor `closest`."""
    return [
        (one, other)
        for one, other in itertools.pairwise(found)
        if (one.operation, one.processes) == (other.operation, other.processes)
        and one.algorithm != other.algorithm
        and operations()[one.operation].sizes_are_known
        and other.n_bytes > max(closest * one.n_bytes, one.n_bytes + 8)
    ]


def middle(one: int, other: int) -> int:
    """The size between two, in the ratio's middle, a whole number of doubles."""
    found = round((max(one, 1) * other) ** 0.5) // 8 * 8
    return min(max(found, one // 8 * 8 + 8), other - 1)


def refine(
    found: list[Choice], measure: Callable[[str, int, int, list[str]], Choice], closest: float, most: int
) -> list[Choice]:
    """Halve the gaps between unlike neighbours, most times in all, the widest first.

    measure: of operation, bytes, processes and the two algorithms in question (and native), what is chosen there.
    """
    found = sorted(found, key=lambda c: (c.operation, c.processes, c.n_bytes))
    for _ in range(most):
        open_gaps = gaps(found, closest)
        if not open_gaps:
            break
        one, other = max(open_gaps, key=lambda gap: gap[1].n_bytes / max(gap[0].n_bytes, 1))
        size = middle(one.n_bytes, other.n_bytes)
        names = [name for name in dict.fromkeys([one.algorithm, other.algorithm]) if name != "native"]
        found.append(measure(one.operation, size, one.processes, names))
        found.sort(key=lambda c: (c.operation, c.processes, c.n_bytes))
    return found


def rules(found: Sequence[Choice], processes: dict[int, tuple[int, int]] | None = None) -> tuple[Rule, ...]:
    """Rules for points: a run of sizes with one choice is a range, from its first size to its last.

    Between two runs nothing was measured: the library's own stays there. Where not all ranks know the size, a rule is
    for any: the choice must be the same for all that were measured.   processes: the range of numbers of processes that
    each measured number stands for; by default itself.
    """
    found = [choice for choice in found if _is_for_its_rule(choice, found)]
    out: list[Rule] = []
    run: list[Choice] = []
    for choice in [*sorted(found, key=lambda c: (c.operation, c.processes, c.n_bytes)), None]:
        continues = (
            choice is not None
            and bool(run)
            and (run[-1].operation, run[-1].processes, run[-1].algorithm)
            == (choice.operation, choice.processes, choice.algorithm)
        )
        if run and not continues:
            if not run[0].is_native:
                out.append(_rule(run, (processes or {}).get(run[0].processes)))
            run = []
        if choice is not None:
            run.append(choice)
    return merged(out)


def _is_for_its_rule(choice: Choice, found: Sequence[Choice]) -> bool:
    if operations()[choice.operation].sizes_are_known:
        return True
    of_point = [one for one in found if (one.operation, one.processes) == (choice.operation, choice.processes)]
    return all(one.algorithm == choice.algorithm for one in of_point)


def _rule(run: Sequence[Choice], processes: tuple[int, int] | None) -> Rule:
    name, segment, radix = parse_name(run[0].algorithm)
    weakest = min(run, key=lambda choice: choice.low)
    evidence = {
        "median_ratio": round(weakest.ratio, 3),
        "low": round(weakest.low, 3),
        "high": round(weakest.high, 3),
        "launches": weakest.launches,
        "points": len(run),
    }
    for where in run[0].elsewhere:
        evidence[f"{where}_ratio"] = round(min(choice.elsewhere.get(where, 0.0) for choice in run), 3)
    here = processes or (run[0].processes, run[0].processes)
    known = operations()[run[0].operation].sizes_are_known
    sizes = (run[0].n_bytes, run[-1].n_bytes) if known else (0, MOST["bytes"])
    return Rule(run[0].operation, here, sizes, name, segment, radix, evidence)


def parse_name(text: str) -> tuple[str, int, int]:
    """ "chain:segment=65536:radix=3" -> name, segment in bytes, radix; 0 where not given."""
    name, *parameters = text.split(":")
    segment = radix = 0
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key == "segment":
            segment = int(value)
        elif key == "radix":
            radix = int(value)
        else:
            name += f":{parameter}"
    return name, segment, radix


def dropped(
    found: Sequence[Choice], again: Iterable[dict[str, Any]], launches: int
) -> tuple[list[Choice], list[Choice]]:
    """Choices after measuring again: those that held (with the new evidence), then those that did not."""
    rows = {(row["operation"], row["bytes"], row["processes"], row["algorithm"]): row for row in again}
    kept, lost = [], []
    for choice in found:
        if choice.is_native:
            kept.append(choice)
            continue
        row = rows.get((choice.operation, choice.n_bytes, choice.processes, choice.algorithm))
        point = (choice.operation, choice.n_bytes, choice.processes)
        if row is not None and holds(row, launches):
            ratio = row["ratio_to_native"]
            total = choice.launches + launches
            weaker = (ratio["median"], ratio["low"], ratio["high"])
            if choice.low < ratio["low"]:
                weaker = (choice.ratio, choice.low, choice.high)
            kept.append(Choice(*point, choice.algorithm, *weaker, total))
        else:
            kept.append(Choice(*point, "native", launches=launches))
            lost.append(choice)
    return kept, lost


def not_slower(
    found: Sequence[Choice], where: str, measured: Iterable[dict[str, Any]]
) -> tuple[list[Choice], list[Choice]]:
    """Choices that were not slower than the library's own in other circumstances, `where`; then those that were."""
    rows = {(row["operation"], row["bytes"], row["processes"], row["algorithm"]): row for row in measured}
    kept, lost = [], []
    for choice in found:
        row = rows.get((choice.operation, choice.n_bytes, choice.processes, choice.algorithm))
        ratio = row and row.get("ratio_to_native")
        if choice.is_native:
            kept.append(choice)
        elif row and row.get("correct") is True and ratio and ratio["high"] is not None and ratio["high"] >= CLEAR_OF:
            kept.append(replace(choice, elsewhere={**choice.elsewhere, where: ratio["median"]}))
        else:
            kept.append(Choice(choice.operation, choice.n_bytes, choice.processes, "native", launches=choice.launches))
            lost.append(choice)
    return kept, lost
