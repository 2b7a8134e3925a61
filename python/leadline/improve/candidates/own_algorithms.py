"""Leadline's own algorithms for the collectives of the record, as far as they win where they are measured alone."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.errors import LeadlineError
from leadline.improve.candidates.asking import WORTH, Asked, NotTried
from leadline.improve.facts import Facts
from leadline.improve.setting import Setting
from leadline.operations import operations
from leadline.text import format as fmt

WHAT = "algorithms of Leadline"
RISK = "a library more is loaded into the ranks (LD_PRELOAD)"


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    used = [each for each in facts.collectives if each.operation]
    able = [each for each in used if asked.reorder or not operations()[each.operation].reduces]
    share = sum(each.share for each in able)
    if not used:
        yield NotTried(WHAT, "the program makes no collective call that they serve")
    elif not able:
        yield NotTried(WHAT, "sums may be made in another order, which can change results: --reorder")
    elif share < WORTH:
        yield NotTried(WHAT, f"the calls that they serve take {fmt.percent(share)} of the time")
    elif asked.tuned is None:
        yield NotTried(WHAT, "they were not measured")
    else:
        yield from _tuned([each.operation for each in able if each.share >= WORTH], share, asked)


def _tuned(names: list[str], share: float, asked: Asked) -> Iterator[Setting | NotTried]:
    assert asked.tuned is not None
    try:
        table = asked.tuned(names)
    except LeadlineError as error:
        yield NotTried(WHAT, f"they could not be measured: {error}")
        return
    if not table.rules:
        yield NotTried(WHAT, f"measured alone, none beat the library ({', '.join(names)})")
        return
    chosen = ", ".join(f"{rule.operation} by {rule.name}" for rule in table.rules[:3])
    more = f" and {len(table.rules) - 3} rules more" if len(table.rules) > 3 else ""
    yield Setting("own-algorithms", "own-algorithms", f"{chosen}{more}", RISK, share, table=table, by_shim=True)
