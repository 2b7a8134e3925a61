"""Calls without order, or parts left out, because a budget was spent or a disk full."""

from __future__ import annotations

from collections import Counter

from leadline.figures.content import Content
from leadline.figures.run import Run
from leadline.findings.finding import About, Evidence, Fact, Rule, at_least
from leadline.text import format as fmt
from leadline.text import sizes

_CUT, _UNORDERED, _NOT_WRITTEN = "over-budget", "order-lost", "write-failed"


def facts(content: Content) -> Fact | None:
    run = content.run
    affected = _ranks(run, _CUT) | _ranks(run, _UNORDERED)
    return Fact(
        {
            "ranks": len(affected),
            "calls_without_order": _amounts(run)[_UNORDERED],
            "parts_left_out": bool(_ranks(run, _CUT)),
            "budget_bytes": max((run.processes[i].conditions.budget_files for i in affected), default=0) or None,
        },
        About(ranks=tuple(run.label(index) for index in sorted(affected))),
    )


def totals_are_low(content: Content) -> bool:
    """Whether shares would refer to whatever happened to fit."""
    return bool(_ranks(content.run, _CUT))


def _ranks(run: Run, code: str) -> set[int]:
    return {i for i, process in enumerate(run.processes) if any(loss.code == code for loss in process.losses)}


def _amounts(run: Run) -> Counter[str]:
    amounts: Counter[str] = Counter()
    for process in run.processes:
        for loss in process.losses:
            amounts[loss.code] += loss.amount
    return amounts


def sentence(content: Content, found: Evidence) -> str:
    cut, unordered = found["parts_left_out"], found["calls_without_order"]
    size = found["budget_bytes"]
    not_written = len(_ranks(content.run, _NOT_WRITTEN))
    results = []
    if _ranks(content.run, _UNORDERED):
        results.append(f"{fmt.plural(unordered, 'call is', 'calls are')} counted and timed, but their order is lost")
    results.append(
        "parts of the trace are missing: totals are too low, and no shares are shown" if cut else "totals are exact"
    )
    if not_written and not cut:
        begin = (
            f"{fmt.plural(not_written, 'rank')} could not write {'its trace' if not_written == 1 else 'their traces'}"
        )
    else:
        begin = f"{_budget(content.run, size)} was reached on {fmt.plural(found['ranks'], 'rank')}"
    more = f" Record again with --budget {_more(size)}." if size and not not_written else ""
    return f"{begin}: {'; '.join(results)}.{more}"


def _budget(run: Run, size: int | None) -> str:
    affected = _ranks(run, _CUT) | _ranks(run, _UNORDERED)
    given = any(run.processes[index].conditions.budgets_given & 1 for index in affected)
    name = f"The trace size limit of {fmt.size(size)} per rank" if size else "The trace size limit"
    return f"{name} (--budget)" if given else name


def _more(size: int) -> str:
    """Four times as much, as one would type it."""
    return sizes.typed(max(4 * size // 1_000_000, 1) * 1_000_000)


RULE = Rule(
    id="budget-spent",
    order=8,
    severity="warning",
    section="missing",
    facts=facts,
    sentence=sentence,
    threshold={"ranks": at_least(1)},
    in_verdict=True,
)
