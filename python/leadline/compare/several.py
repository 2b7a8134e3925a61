"""Three groups or more on a terminal: one table of times with a column for each, not a table for each pair."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.compare.comparison import Comparison, Pair
from leadline.compare.times import Metric, whole_and_parts
from leadline.compare.words import change, letter, value
from leadline.text.screen import Line

COLUMN = 10
BESIDE = 20  # a time and its change
NAMES = 24  # columns for what it is the time of


def differences(comparison: Comparison, most: int) -> list[Line]:
    """What the verdict does not already say: for each group, the first of the changes that its sentence summarises."""
    if most == 1:
        return [("  all changes: --all", "dim")] if any(p.claims for p in comparison.pairs) else []
    lines: list[Line] = []
    for index, pair in enumerate(comparison.pairs, 1):
        details = [text for claim in pair.claims for text in claim.details]
        shown = details[: max(1, most // 2)]
        lines += [f"  {letter(index)}  {text}" for text in shown]
        if len(details) > len(shown):
            lines.append(f"     and {len(details) - len(shown)} more (--all)")
        also = [metric.name for claim in pair.claims for metric in claim.alongside]
        if also:
            more = f" and {len(also) - 1} more" if len(also) > 1 else ""
            lines.append(f"     along with it: {also[0]}{more}")
    return [("What differs from A", "bold"), *lines] if lines else []


def times(comparison: Comparison, most: int, width: int) -> list[Line]:
    groups = len(comparison.groups)
    beside = COLUMN + BESIDE * (groups - 1) + NAMES <= width
    fitting = groups if beside else max(2, (width - NAMES) // COLUMN)
    pairs = comparison.pairs[: fitting - 1]
    letters = [letter(index) for index in range(len(pairs) + 1)]
    if beside:
        heading = f"{letters[0]:>9} " + "".join(f"{each:>9}   change " for each in letters[1:])
    else:
        heading = "".join(f"{each:>9} " for each in letters)
    lines: list[Line] = [("Times", "bold"), (heading.rstrip(), "dim")]
    for metric in _chosen(comparison.pairs[0], most):
        each = [_same(pair, metric) for pair in pairs]
        first = f"{value(metric, metric.a):>9} "
        if beside:
            cells = "".join(f"{value(m, m.b) if m else '':>9} {_change(m):>9} " for m in each)
            lines.append(f"{first}{cells} {metric.name}")
        else:
            lines.append(f"{first}{''.join(f'{value(m, m.b) if m else str():>9} ' for m in each)} {metric.name}")
            lines.append((f"{'':10}{''.join(f'{_change(m):>9} ' for m in each)}".rstrip(), "dim"))
    if len(pairs) < len(comparison.pairs):
        lines.append(f"  and {len(comparison.pairs) - len(pairs)} more groups (--all)")
    if any(metric.claimed for pair in comparison.pairs for metric in pair.metrics):
        lines.append(("  * beyond noise", "dim"))
    return lines


def _chosen(pair: Pair, most: int) -> Sequence[Metric]:
    return [metric for metric in whole_and_parts(pair.metrics, most) if metric.a > 0]


def _same(pair: Pair, metric: Metric) -> Metric | None:
    return next((m for m in pair.metrics if (m.level, m.key) == (metric.level, metric.key)), None)


def _change(metric: Metric | None) -> str:
    return "" if metric is None else f"{'*' if metric.claimed else ''}{change(metric)}"
