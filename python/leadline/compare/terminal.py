"""The comparison on a terminal: at most 30 lines, or all tables."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.compare import several
from leadline.compare.comparison import Comparison, Pair
from leadline.compare.subject import Group
from leadline.compare.times import WHOLES, Metric, whole_and_parts
from leadline.compare.words import basis, change, letter, sentences, shown_name, tells, unchanged, value
from leadline.text import format as fmt
from leadline.text.screen import Line, Screen

MOST_LINES = 30
WIDE = 76  # columns; narrower tables have no column of intervals
PARTS_SHOWN = 5


def draw(comparison: Comparison, out: Screen) -> None:
    """Without `complete`, the least important lines are left out so that there are at most thirty."""
    for sentence in sentences(comparison):
        out.paragraph(sentence, "bold")
    for index, group in enumerate(comparison.groups):
        runs = f", {len(group.runs)} runs" if len(group.runs) > 1 else ""
        size = f"{fmt.plural(group.first.ranks, 'rank')}{runs}"
        name = group.name if out.complete else shown_name(group, out.width - len(size) - 8)
        out.lines([f"  {letter(index)}  {name}: {size}"])
    if not out.complete:
        out.lines(_fitting(comparison, out.width))
        return
    out.section("Environments")
    out.lines(_environment(comparison, None))
    if comparison.limits:
        out.section("Caveats")
        out.lines([f"  {each}" for each in comparison.limits])
    for index, pair in enumerate(comparison.pairs, 1):
        _draw_pair(comparison, index, pair, out)
    if comparison.scaling is not None:
        out.section("Scaling")
        out.lines(_scaling(comparison, None))


def _draw_pair(comparison: Comparison, index: int, pair: Pair, out: Screen) -> None:
    which = f"{letter(index)} against A" if len(comparison.pairs) > 1 else ""
    out.section("What differs", which)
    out.lines(_claims(pair, None))
    for level, title in (
        ((*WHOLES, "computation", "rank"), "Times"),
        (("phase",), "Phases"),
        (("function",), "Functions"),
        (("site",), "Call sites"),
    ):
        found = [metric for metric in pair.metrics if metric.level in level]
        if found:
            steps = any(metric.per_iteration and metric.level != "rank" for metric in pair.metrics)
            out.section(title, f"mean over ranks, {'per iteration unless stated otherwise' if steps else 'whole run'}")
            out.lines(_table(found, out.width, steps))
    out.paragraph(_capital(basis(pair)) + ".", "dim")


def _fitting(comparison: Comparison, width: int) -> list[Line]:
    """Parts with fewer and fewer lines until all fit."""
    from leadline.text.screen import folded

    room = MOST_LINES - 2 - len(comparison.groups)
    lines: list[Line] = []
    for most in (8, 6, 4, 3, 2, 1):
        lines = _short(comparison, most, width)
        used = sum(len(folded(line if isinstance(line, str) else line[0], width)) for line in lines)
        if used + sum(len(folded(each, width)) for each in sentences(comparison)) <= room:
            break
    return lines


def _short(comparison: Comparison, most: int, width: int) -> list[Line]:
    lines: list[Line] = [("Environments", "bold"), *_environment(comparison, most)]
    if comparison.limits:
        lines += [("Caveats", "bold"), *(f"  {each}" for each in comparison.limits[:most])]
    if len(comparison.pairs) > 1:
        lines += several.differences(comparison, most)
        if comparison.scaling is None:  # the table there has the same times
            lines += several.times(comparison, most, width)
    for pair in comparison.pairs if len(comparison.pairs) == 1 else ():
        lines += [("What differs", "bold"), *_claims(pair, most)]
        shown = whole_and_parts(pair.metrics, min(most, PARTS_SHOWN))
        lines += [("Times", "bold"), *_table(shown, width, bool(pair.a.first.iterations))]
        lines += _efficiency(pair)
        lines += _concerns(pair, most)
    if comparison.scaling is not None:
        lines += [("Scaling", "bold"), *_scaling(comparison, max(1, most // 2))]
    bases = dict.fromkeys(basis(pair) for pair in comparison.pairs)
    lines += [(_capital(words) + ".", "dim") for words in bases]
    return lines


def _environment(comparison: Comparison, most: int | None) -> list[Line]:
    found = comparison.differences
    if not found:
        return ["  no difference recorded"]
    known = [each for each in found if not each.unknown]
    shown = found if most is None else known[:most]
    lines: list[Line] = []
    for each in shown:
        lines.append(f"  {each.title}:  {' → '.join(_shorter(each.values) if most is not None else each.values)}")
    if most is not None:
        if len(known) > len(shown):
            lines.append(f"  and {fmt.plural(len(known) - len(shown), 'more difference')} (--all)")
        unknown = [each.title for each in found if each.unknown]
        if unknown:
            lines.append(f"  recorded only in some runs: {', '.join(unknown)}")
    return lines


def _shorter(values: Sequence[str], most: int = 30) -> list[str]:
    """Without what long values begin and end with alike, so that what differs is seen."""
    if max(map(len, values)) <= most:
        return list(values)
    words = [value.split() for value in values]
    same = 0
    while all(len(w) > same + 1 for w in words) and len({w[same] for w in words}) == 1:
        same += 1
    same = max(0, same - 1)  # the option whose value differs stays
    end = 0
    while all(len(w) - end > same + 2 for w in words) and len({w[-1 - end] for w in words}) == 1:
        end += 1
    return [f"{'… ' if same else ''}{' '.join(w[same : len(w) - end])}{' …' if end else ''}" for w in words]


def _claims(pair: Pair, most: int | None) -> list[Line]:
    if not pair.claims:
        return [f"  {unchanged(pair)}"]
    lines: list[Line] = []
    for number, claim in enumerate(pair.claims[:most]):
        if number or most is None:
            lines.append(f"  {_capital(claim.text)}")
        details = claim.details[: max(1, most - 2) if most is not None else None]
        lines += [f"  - {text}" for text in details]
        if len(claim.details) > len(details):
            lines.append(f"    and {len(claim.details) - len(details)} more (--all)")
        lines += _alongside(pair, claim.alongside, most)
        if not claim.details and not claim.alongside and number == 0 and most is not None:
            lines.append("  no further difference beyond noise")
    if most is not None and len(pair.claims) > most:
        lines.append(f"  and {fmt.plural(len(pair.claims) - most, 'more difference')} (--all)")
    return lines


def _efficiency(pair: Pair) -> list[Line]:
    """Of each group's run whose parallel efficiency is the median, so that the product holds."""
    a, b = (_efficient(group) for group in (pair.a, pair.b))
    if a is None or b is None:
        return []
    parallel, load, rest = (
        f"{_share(before)} → {_share(after)}"
        for before, after in zip((a[0] * a[1], *a), (b[0] * b[1], *b), strict=True)
    )
    return [f"  parallel efficiency {parallel} = load balance {load} × communication {rest}"]


def _efficient(group: Group) -> tuple[float, float] | None:
    """Load balance and communication efficiency."""
    known = [
        (run.load_balance, run.communication)
        for run in group.runs
        if run.load_balance is not None and run.communication is not None
    ]
    return sorted(known, key=lambda of: of[0] * of[1])[(len(known) - 1) // 2] if known else None


def _concerns(pair: Pair, most: int | None) -> list[Line]:
    """Findings that went and came, one line each."""
    lines: list[Line] = []
    for words, concerns in (("no longer found", pair.concerns.went), ("now found", pair.concerns.came)):
        shown = concerns if most is None else concerns[: max(1, most // 2)]
        lines += [f"  {words}: {_first_sentence(concern.text)}" for concern in shown]
        if len(concerns) > len(shown):
            lines.append(f"    and {len(concerns) - len(shown)} more (--all)")
    return [("Findings", "bold"), *lines] if lines else []


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].rstrip(".")


def _alongside(pair: Pair, metrics: Sequence[Metric], most: int | None) -> list[Line]:
    if not metrics:
        return []
    shown = metrics if most is None else metrics[: max(1, most // 2)]
    lines: list[Line] = [f"  along with it: {metric.name}, {change(metric)} ({_interval(metric)})" for metric in shown]
    if len(metrics) > len(shown):
        lines.append(f"    and {fmt.plural(len(metrics) - len(shown), 'more time')} (--all)")
    return lines


def _table(metrics: Sequence[Metric], width: int, steps: bool) -> list[Line]:
    """steps: whether times are per iteration, unless their names say otherwise."""
    wide = width >= WIDE
    heading = "        A         B   change"
    lines: list[Line] = [(heading + ("  95 % CI" if wide else ""), "dim")]
    for metric in metrics:
        if metric.a == metric.b == 0:
            continue
        per_run = steps and not metric.per_iteration and metric.level not in ("run", "rank")
        median = " (median)" if metric.level == "iteration" else ""
        name = metric.name + (" (per run)" if per_run else median)
        name = ("* " if metric.claimed else "  ") + name
        interval = f"{_interval(metric):16}" if wide else ""
        if not wide and metric.ratio is not None:
            name += f" ({_interval(metric)})"
        numbers = f"{value(metric, metric.a):>9} {value(metric, metric.b):>9} {change(metric):>8}"
        lines.append(f"{numbers}  {interval}{name}")
    return lines


def _interval(metric: Metric) -> str:
    if metric.ratio is None:
        return "-"
    if not tells(metric.ratio):
        return "too wide"
    return f"{_bound(metric.ratio.low)} to {_bound(metric.ratio.high)}"


def _bound(ratio: float) -> str:
    return f"{ratio:.1f} ×" if ratio >= 3 else f"{(ratio - 1) * 100:+.0f} %"


def _scaling(comparison: Comparison, most: int | None) -> list[Line]:
    found = comparison.scaling
    if found is None:
        return []
    kind = f"{found.kind} scaling" if found.kind else "scaling type unknown"
    lines: list[Line] = [f"  assumed {kind} ({found.basis})" if found.kind else f"  {kind}: {found.basis}"]
    lines.append(("  ranks        time  scalability  efficiency  computation", "dim"))
    for curve in found.curves if most is None else found.curves[:most]:
        for point in curve.points:
            efficiency = _share(point.efficiency)
            lines.append(
                f"{point.ranks:7,}  {fmt.seconds(point.time_s):>10}  {point.scalability * 100:9.0f} %  "
                f"{efficiency:>10}  {_share(point.computation_scaling):>11}  {curve.name}"
            )
    if most is not None and len(found.curves) > most:
        lines.append(f"  and {fmt.plural(len(found.curves) - most, 'more phase')} (--all)")
    return lines


def _share(value: float | None) -> str:
    return "?" if value is None else f"{value * 100:.0f} %"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
