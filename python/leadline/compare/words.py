"""The verdict and the letters of groups."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.compare.claims import Claim
from leadline.compare.comparison import Comparison, Pair
from leadline.compare.explained import named
from leadline.compare.scaling import Scaling
from leadline.compare.subject import Group
from leadline.compare.times import WHOLES, Metric
from leadline.statistics.welch import Ratio
from leadline.text import format as fmt

TOO_WIDE = 20.0  # an interval that holds ratios so far apart is not shown
MOST_NAMED = 3  # differences of the environments
ALIKE = 0.02  # times that differ by less are not called faster or slower
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def letter(index: int) -> str:
    return LETTERS[index] if index < len(LETTERS) else f"#{index + 1}"


def sentences(comparison: Comparison) -> list[str]:
    """One for each group but the first: what differs most, or that nothing does beyond the noise. One for all if they
    differ in the number of ranks."""
    found = _predicted(comparison.groups)
    if len(comparison.pairs) > 1 and comparison.scaling is not None:
        return [*found, _scaling(comparison.scaling)]
    for index, pair in enumerate(comparison.pairs, 1):
        before = f"{letter(index)}: " if len(comparison.pairs) > 1 else ""
        found.append(before + sentence(pair))
    return found


def _predicted(groups: Sequence[Group]) -> list[str]:
    named = [letter(index) for index, group in enumerate(groups) if any(run.predicted for run in group.runs)]
    if not named:
        return []
    return [f"{' and '.join(named)} {'is' if len(named) == 1 else 'are'} predicted, not measured."]


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
    return " ".join(f"{_capital(text)}." for text in _parts(pair))


def _parts(pair: Pair) -> list[str]:
    """How much faster, what that is made of, and what differs."""
    if pair.claims and pair.claims[0].kind == "ranks":
        return [pair.claims[0].text + _also(pair.claims)]
    found = [time_of(pair.main, repeats=pair.repeats), *_made_of(pair)]
    said = [claim for claim in pair.claims if claim.of is None or claim.of is not pair.main]
    if said:
        found.append(said[0].text + _also(said))
    elif not pair.claims:
        found.append(_same(pair))
    known = [each for each in pair.differences if not each.unknown]
    if pair.claims and pair.claims[0].kind != "structure" and 1 <= len(known) <= MOST_NAMED:
        titles = [each.title for each in known]
        if len(titles) == 1:
            titles[0] += f" ({' → '.join(known[0].values)})"
        found.append(f"The runs also differ in {' and '.join(', '.join(titles).rsplit(', ', 1))}")
    if not pair.claims and all(metric.ratio is None for metric in pair.metrics if metric.level in WHOLES):
        found.append("To compare times, record repeats, or keep the times of more iterations (--series)")
    return found


def _also(claims: Sequence[Claim]) -> str:
    return f" (and {fmt.plural(len(claims) - 1, 'other difference')})" if len(claims) > 1 else ""


def time_of(main: Metric, *, repeats: bool) -> str:
    """How much faster B is than A, and how sure that is."""
    numbers = f"{main.name} {fmt.seconds(main.a)} → {fmt.seconds(main.b)}"
    ratio = main.value
    if ratio is None or ratio <= 0:
        return numbers
    if not repeats:
        faster = _faster(ratio)
        return f"{faster}{numbers}, one run each: not proven" if faster else f"{numbers}, one run each"
    span = "runs too variable for a confidence interval"
    if main.ratio is not None and tells(main.ratio):
        span = f"95 % CI {fmt.change(main.ratio.low)} to {fmt.change(main.ratio.high)}"
    if not main.claimed:
        said = "no difference in time beyond noise" if abs(ratio - 1) < ALIKE else "not proven"
        return f"{said}: {numbers} ({fmt.change(ratio)}; {span})"
    return f"{_faster(ratio)}{numbers} ({span})"


def _faster(ratio: float) -> str:
    if abs(ratio - 1) < ALIKE:
        return ""
    if ratio <= 0.5:
        return f"{fmt.times(1 / ratio)} as fast: "
    return f"{fmt.times(ratio)} as long: " if ratio >= 2 else f"{fmt.change(ratio).lstrip('+-−')} {_less(ratio)} time: "


def _less(ratio: float) -> str:
    return "less" if ratio < 1 else "more"


def _made_of(pair: Pair) -> list[str]:
    """Not of a difference within noise, nor where means, which portions add up to, went another way than medians."""
    main = pair.main
    ratio = main.value if main.level in ("iteration", "mean") else None
    change = sum(portion.seconds for portion in pair.portions)
    if ratio is None or abs(ratio - 1) < ALIKE or (ratio < 1) != (change < 0) or (pair.repeats and not main.claimed):
        return []
    shown = named(pair.portions)
    return [f"on average, each iteration has {', '.join(portion.text for portion in shown)}"] if shown else []


def unchanged(pair: Pair) -> str:
    """The sentence if nothing differs beyond noise."""
    if not pair.same_ranks:
        return "nothing"
    return f"no difference proven; {_same(pair)}"


def _same(pair: Pair) -> str:
    return "same structure" if pair.a.first.has_structure else "same call counts wherever both have the call"


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
            "one run each: the variation from run to run is unknown, so only the computation of each rank relative "
            "to the others is compared. For times, record repeats: A1,A2,A3 B1,B2,B3"
        )
    return "one run each: no difference between times is proven. For that, record repeats: A1,A2,A3 B1,B2,B3"
