"""The verdict and the letters of groups."""

from __future__ import annotations

from leadline.compare.comparison import Comparison, Pair
from leadline.compare.scaling import Scaling
from leadline.compare.subject import Group
from leadline.compare.times import Metric
from leadline.statistics.welch import Ratio
from leadline.text import format as fmt

TOO_WIDE = 20.0  # an interval that holds ratios so far apart is not shown
MOST_NAMED = 3  # differences of the environments
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def letter(index: int) -> str:
    return LETTERS[index] if index < len(LETTERS) else f"#{index + 1}"


def sentences(comparison: Comparison) -> list[str]:
    """One for each group but the first: what differs most, or that nothing does beyond the noise. One for all if they
    differ in the number of ranks."""
    if len(comparison.pairs) > 1 and comparison.scaling is not None:
        return [_scaling(comparison.scaling)]
    found = []
    for index, pair in enumerate(comparison.pairs, 1):
        before = f"{letter(index)}: " if len(comparison.pairs) > 1 else ""
        found.append(before + sentence(pair))
    return found


def _scaling(scaling: Scaling) -> str:
    (curve, *_) = scaling.curves
    ranks = " → ".join(fmt.number(point.ranks) for point in curve.points)
    times = " → ".join(fmt.seconds(point.time_s) for point in curve.points)
    efficiency = curve.points[-1].efficiency
    kind = f", efficiency {efficiency * 100:.0f} % ({scaling.kind} scaling)" if efficiency is not None else ""
    return f"{ranks} ranks: {curve.name} {times}{kind}."


def verdict(comparison: Comparison) -> str:
    return " ".join(sentences(comparison))


def shown_name(group: Group, most: int) -> str:
    """The group as it was asked for, or in fewer words if that is too long: "…/before-1, …, before-8"."""
    if len(group.name) <= most or not group.runs:
        return group.name
    names = [run.name.rstrip("/").rpartition("/")[2] for run in group.runs]
    if len(names) == 1:
        return f"…{group.name[-(most - 1) :]}" if len(names[0]) > most - 2 else f"…/{names[0]}"
    listed = f"…/{', '.join(names)}"
    return listed if len(listed) <= most else f"…/{names[0]}, …, {names[-1]}"


def value(metric: Metric, number: float) -> str:
    """A time; of a rank, its computation against the others'."""
    return f"{number:.3f}" if metric.level == "rank" else fmt.seconds(number)


def change(metric: Metric) -> str:
    ratio = metric.value
    if ratio is None or ratio <= 0:
        return ""
    return f"{ratio:.2f} ×" if ratio >= 2 else f"{(ratio - 1) * 100:+.1f} %"


def tells(ratio: Ratio) -> bool:
    """Whether the interval is narrow enough to say anything at all."""
    return ratio.low > 1 / TOO_WIDE and ratio.high < TOO_WIDE


def sentence(pair: Pair) -> str:
    return _capital(_sentence(pair)) + "."


def _sentence(pair: Pair) -> str:
    if not pair.claims:
        return _nothing(pair)
    first = pair.claims[0]
    more = len(pair.claims) - 1
    also = f" (and {fmt.plural(more, 'other difference')})" if more else ""
    known = [each for each in pair.differences if not each.unknown]
    if first.kind in ("structure", "ranks") or not 1 <= len(known) <= MOST_NAMED:
        return first.text + also
    titles = [each.title for each in known]
    if len(titles) == 1:
        titles[0] += f" ({' → '.join(known[0].values)})"
    return f"{first.text}{also}. The runs also differ in {' and '.join(', '.join(titles).rsplit(', ', 1))}"


def unchanged(pair: Pair) -> str:
    """The sentence if nothing differs beyond noise."""
    if not pair.same_ranks:
        return "nothing"
    same = "same structure" if pair.a.first.has_structure else "same call counts where both have them"
    return f"no change beyond noise; {same}"


def _nothing(pair: Pair) -> str:
    main = pair.main
    structure = "structure" if pair.a.first.has_structure else "call counts present in both"
    if main.ratio is None:
        numbers = f"{fmt.seconds(main.a)} and {fmt.seconds(main.b)}"
        return (
            f"same {structure}; {main.name}: {numbers}. To compare times, record repeats, or keep the times of more "
            "iterations (--series)"
        )
    ratio = main.ratio
    values = f"{fmt.seconds(main.a)} and {fmt.seconds(main.b)}"
    span = f"95 % CI {fmt.change(ratio.low)} to {fmt.change(ratio.high)}"
    if not pair.repeats:
        within = f"within each run {span}" if tells(ratio) else "too variable for a confidence interval"
        return f"single runs show no difference: {main.name} {values} ({fmt.change(ratio.value)}; {within})"
    span = span if tells(ratio) else "runs too variable for a confidence interval"
    return f"no difference beyond noise: {main.name} {values} ({fmt.change(ratio.value)}; {span})"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def basis(pair: Pair) -> str:
    """What intervals come from."""
    if pair.repeats:
        a, b = len(pair.a.runs), len(pair.b.runs)
        runs = f"{a} and {b} runs" if a != b else f"{a} runs each"
        return f"confidence intervals from {runs}"
    if any(metric.ratio is not None for metric in pair.metrics):
        return (
            "one run each: the variation from run to run is unknown, so only ranks relative to the others are "
            "compared. "
            "For times, record repeats: A1,A2,A3 B1,B2,B3"
        )
    return "one run each and no iteration times: times are not compared. Record repeats: A1,A2,A3 B1,B2,B3"
