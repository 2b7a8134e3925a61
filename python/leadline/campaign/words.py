"""Sentences about a campaign. They claim what the intervals support, and say what they do not support."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leadline.text import format as fmt

MOST_NAMED = 4
TWICE = 2.0


def verdict(content: dict[str, Any]) -> str:
    runs, made = content["runs"], content["comparisons"]
    left = runs["planned"] - runs["finished"]
    state = f"{runs['finished']} of {fmt.plural(runs['planned'], 'run')} finished" if left > 0 else ""
    failed = f"{runs['failed']} failed" if runs["failed"] else ""
    if not made:
        said = "nothing to compare yet" if left > 0 else "nothing to compare"
    else:
        proven = sum(each["claims"] > 0 for each in made)
        of = fmt.plural(len(made), "comparison")
        said = f"a difference is proven in {proven} of {of}" if proven else f"no difference is proven in {of}"
    return f"{content['name']}: {'; '.join(filter(None, (said, state, failed)))}"


def paragraphs(content: dict[str, Any]) -> list[str]:
    return [sentence(each) for each in content["comparisons"]]


def sentence(each: dict[str, Any]) -> str:
    """Of one comparison."""
    where = f"{name_of(each)}, {fmt.plural(each['ranks'], 'rank')}"
    names, best = each["ranking"], each["best"]
    counted = f"{min(each['n'])} to {max(each['n'])}" if len(set(each["n"])) > 1 else f"{each['n'][0]}"
    repeats = f"{counted} {'repeat' if counted == '1' else 'repeats'} each"
    if not each["pairs"]:
        return f"{where}: {_listed(names)}: too few repeats to compare ({repeats})."
    slower = [place for place in range(len(names)) if place not in best]
    if not slower:
        if each["claims"]:
            return f"{where}: {names[0]} has the smallest median, within noise; slower ones differ ({repeats})."
        return f"{where}: within noise: {_listed(names)} ({repeats})."
    first = f"{names[0]} is the fastest" if len(best) == 1 else f"{_listed([names[p] for p in best])} share first place"
    parts = [_slower(names[place], each["to_best"][place]) for place in slower[:MOST_NAMED]]
    more = f" and {len(slower) - MOST_NAMED} more take longer" if len(slower) > MOST_NAMED else ""
    beside = "" if len(best) == 1 else f", compared with {names[0]}"
    return f"{where}: {first}; {', '.join(parts)}{beside}{more} ({repeats})."


def name_of(cell: Mapping[str, Any]) -> str:
    """Program, input if it has several, and part."""
    given = "" if cell["input"] == "default" else f" {cell['input']}"
    return f"{cell['program']}{given}{': ' + cell['part'] if cell['part'] else ''}"


def _slower(name: str, ratio: dict[str, Any]) -> str:
    value, low, high = ratio["value"], ratio["low"], ratio["high"]
    if value < TWICE:
        between = f"{(low - 1) * 100:.1f} to {(high - 1) * 100:.1f} %"
        return f"{name} takes {(value - 1) * 100:.1f} % longer (95 % CI {between})"
    return f"{name} takes {value:.2f} times as long (95 % CI {low:.2f} to {high:.2f})"


def _listed(names: list[str]) -> str:
    shown = names if len(names) <= MOST_NAMED else [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]
