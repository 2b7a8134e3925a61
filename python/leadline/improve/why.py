"""Why a program is faster with its settings: which calls take less of the ranks' time than in the first record."""

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


def changes(before: Path, after: Path) -> list[Change]:
    """Those that matter, the largest first; [] if a record cannot be read."""
    try:
        old, new = _seconds(before), _seconds(after)
    except LeadlineError:
        return []
    found = [Change(name, old.get(name, 0.0), new.get(name, 0.0)) for name in dict.fromkeys([*old, *new])]
    least = LEAST * sum(old.values())
    large = [each for each in found if abs(each.before_s - each.after_s) >= least]
    return sorted(large, key=lambda each: -abs(each.before_s - each.after_s))[:MOST]


def _seconds(directory: Path) -> dict[str, float]:
    content = Content(open_run(directory))
    found = {each.name: each.time_s for each in content.functions if each.share is not None}
    return {**found, COMPUTING: sum(rank.computation_s for rank in content.ranks)}
