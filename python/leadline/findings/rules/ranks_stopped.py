"""Ranks had waited, or computed, for a long time when the run ended."""

from __future__ import annotations

from leadline.figures import unfinished
from leadline.figures.content import Content
from leadline.figures.json_entries import rank_id
from leadline.findings.finding import About, Evidence, Fact, Rule, at_least
from leadline.wording import endings


def facts(content: Content) -> Fact | None:
    """silent_s and silent_share describe the rank that exceeds both bounds most clearly."""
    found = unfinished.stops(content.run)
    clearest = max(found, key=lambda stop: stop.clearness, default=None)
    if clearest is None or clearest.silent_s is None:
        return None
    first = unfinished.first(found, unfinished.clock_error_s(content.run))
    return Fact(
        {
            "ranks": sum(stop.long for stop in found),
            "longest_s": max(stop.silent_s or 0.0 for stop in found),
            "first_to_stop": rank_id(first[0].label) if first else None,
            "silent_s": clearest.silent_s,
            "silent_share": clearest.silent_share,
        },
        About(ranks=tuple(stop.label for stop in found if stop.long)),
    )


def sentence(content: Content, found: Evidence) -> str:
    text = endings.of_stops(unfinished.stops(content.run), unfinished.clock_error_s(content.run))
    return f"{text} The rest of this report covers the time before."


RULE = Rule(
    id="ranks-stopped",
    order=10,
    severity="error",
    section="missing",
    facts=facts,
    sentence=sentence,
    threshold={"silent_s": at_least(unfinished.LEAST_S), "silent_share": at_least(unfinished.LEAST_SHARE)},
    in_verdict=True,
)
