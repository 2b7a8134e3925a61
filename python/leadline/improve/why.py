"""Why a program is faster with its settings: which phases and calls take less of the ranks' time than in the first
record."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from leadline.errors import LeadlineError
from leadline.figures.content import Content
from leadline.figures.run import open_run

MOST = 4
LEAST = 0.01  # of the first record's time
COMPUTING = "computation"


@dataclass(frozen=True)
class Change:
    """before_s, after_s: of all ranks together, in the whole run, without its start and end."""

    what: str
    before_s: float
    after_s: float


def changes(before: Path, after: Path) -> tuple[list[Change], list[Change]]:
    """Of phases, in their order, and of calls, the largest first, those that matter; [] if a record cannot be read."""
    try:
        old, new = Content(open_run(before)), Content(open_run(after))
        return _of_phases(_phases(old), _phases(new)), _of_calls(_seconds(old), _seconds(new))
    except LeadlineError:
        return [], []


def _of_phases(old: dict[str, float], new: dict[str, float]) -> list[Change]:
    """[] if the two were not taken apart in the same way."""
    return [Change(name, old[name], new[name]) for name in old] if list(old) == list(new) else []


def _of_calls(old: dict[str, float], new: dict[str, float]) -> list[Change]:
    found = [Change(name, old.get(name, 0.0), new.get(name, 0.0)) for name in dict.fromkeys([*old, *new])]
    least = LEAST * sum(old.values())
    large = [each for each in found if abs(each.before_s - each.after_s) >= least]
    return sorted(large, key=lambda each: -abs(each.before_s - each.after_s))[:MOST]


def _phases(content: Content) -> dict[str, float]:
    """Those of the run, not their parts."""
    found: dict[str, float] = {}
    for phase in content.phases:
        if phase.parent is None:
            found[phase.name] = found.get(phase.name, 0.0) + phase.time_s
    return found


def _seconds(content: Content) -> dict[str, float]:
    found = {each.name: each.time_s for each in content.functions if each.share is not None}
    return {**found, COMPUTING: sum(rank.computation_s for rank in content.ranks)}
