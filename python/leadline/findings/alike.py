"""Which patterns are one finding: the same pattern, made by the calls of one routine, wherever that is called from. One
change mends all of them, and each alone may look too small to be worth it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Any

from leadline.figures.content import Content
from leadline.figures.patterns import BOUNDS, CONSECUTIVE, PatternEntry
from leadline.wording.patterns import pattern_at

BY_LOOP = "allreduce_bound"  # each loop needs its own change
MOST_NAMED = 3
LONGEST_INNER = 2
TEMPLATE = re.compile(r"(?<!operator)<.*>$")


def alike(content: Content, entries: Sequence[PatternEntry]) -> list[list[PatternEntry]]:
    """Entries that are one finding, in the order of the first of each."""
    found: dict[Hashable, list[PatternEntry]] = defaultdict(list)
    for entry in entries:
        found[_key(content, entry)].append(entry)
    return list(found.values())


def _key(content: Content, entry: PatternEntry) -> Hashable:
    told = entry.evidence
    place: Hashable = making_routine(content, entry)
    if entry.files:
        place = pattern_at(entry)
    elif entry.name in CONSECUTIVE:  # those who call one after another are to change
        place = (told["called_in"], *told["called_at"]) if told["called_at"] else entry.routines[-1:]
    elif entry.name == BY_LOOP:
        place = told.get("loop_routine"), told.get("loop_file"), told.get("loop_line")
    return entry.name, place, told.get("one_sided"), told.get("assumes"), told.get("what")


def making_routine(content: Content, entry: PatternEntry) -> str:
    """The routine that makes the calls, or most of them by time; a template's instances are one routine."""
    times = content.once(_site_times)
    by_routine: dict[str, float] = defaultdict(float)
    for site in entry.sites:
        by_routine[_bare(site.routine)] += times.get(site, 0.0)
    return max(by_routine, key=lambda routine: by_routine[routine], default="")


def _site_times(content: Content) -> dict[Any, float]:
    return {each.site: each.time_s for each in content.sites if each.site is not None}


def from_where(content: Content, entries: Sequence[PatternEntry]) -> str:
    """ "exchange, called from advect, diffuse and 2 more": of entries that are one finding."""
    inner, callers = _inner(content, entries)
    return f"{inner}, called from {joined(callers)}" if len(callers) > 1 else inner


def inner_routines(content: Content, entries: Sequence[PatternEntry]) -> str:
    """The same without those that call them."""
    return _inner(content, entries)[0]


def _inner(content: Content, entries: Sequence[PatternEntry]) -> tuple[str, list[str]]:
    """The innermost routines that all have in common, else the one that makes the calls; and what calls these."""
    paths = [_without_repeats(entry.routines) for entry in entries]
    common = 0
    while all(len(path) > common for path in paths) and len({path[-1 - common] for path in paths}) == 1:
        common += 1
    inner = " > ".join(paths[0][len(paths[0]) - common :][-LONGEST_INNER:]) or making_routine(content, entries[0])
    callers = {path[-1 - common] for path in paths if len(path) > common}
    return inner or "several routines", sorted(callers - {inner})


def _without_repeats(routines: Sequence[str]) -> list[str]:
    """Instances of a template are one routine, also where one calls another."""
    bare = [_bare(routine) for routine in routines]
    return [routine for before, routine in zip(["", *bare], bare, strict=False) if routine != before]


def joined(names: Sequence[str]) -> str:
    """ "advect, diffuse, mix and 2 more"."""
    shown, more = list(names[:MOST_NAMED]), len(names) - MOST_NAMED
    last = f"{more} more" if more > 0 else shown.pop()
    return f"{', '.join(shown)} and {last}" if shown else last


def _bare(routine: str) -> str:
    return TEMPLATE.sub("", routine)


def together(entries: Sequence[PatternEntry]) -> dict[str, Any]:
    """How many messages could be one, and whether that is a bound."""
    numbers = [entry.evidence.get("together") or 0 for entry in entries]
    at_most = any(entry.evidence.get("together_at_most") for entry in entries) or len(set(numbers)) > 1
    at_least = any(entry.evidence.get("together_at_least") for entry in entries)
    return {"together": max(numbers) or None, "bound": BOUNDS.get((at_most, at_least), "")}
