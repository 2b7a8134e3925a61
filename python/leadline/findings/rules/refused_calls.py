"""Calls ended with an error and moved nothing."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.figures.paths import short_place
from leadline.findings.finding import About, Evidence, Fact, Rule
from leadline.text import format as fmt


def facts(content: Content) -> Fact | None:
    if not content.delivery.refused:
        return None
    sites = content.run.sites
    rows = content.run.profile.rows([list(site.members) for site in sites])
    site, row = max(zip(sites, rows, strict=True), key=lambda each: each[1].total.ends.refused)
    return Fact(
        {
            "calls": content.delivery.refused,
            "function": site.function,
            "routine": site.routine if site.routine != "?" else None,
            "place": short_place(site.location),
            "calls_there": row.total.ends.refused,
        },
        About(sites=(site,)),
    )


def sentence(content: Content, found: Evidence) -> str:
    what = fmt.plural(found["calls"], "call")
    routine = f" in {found['routine']}" if found["routine"] else ""
    place = f" ({found['place']})" if found["place"] else ""
    there = found["calls_there"]
    most = ":" if there == found["calls"] else f"; {there:,} of them {'is' if there == 1 else 'are'}"
    return f"{what} failed and transferred nothing{most} {found['function']}{routine}{place}."


RULE = Rule(
    id="refused-calls",
    order=150,
    severity="warning",
    section="missing",
    facts=facts,
    sentence=sentence,
)
