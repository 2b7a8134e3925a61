"""The call site with most of the time, not counting start-up and shut-down."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.figures.entries import STARTUP
from leadline.figures.json_entries import line_json
from leadline.figures.paths import short_place
from leadline.findings.finding import About, Evidence, Fact, Rule, at_least
from leadline.text import format as fmt


def facts(content: Content) -> Fact | None:
    entry = next((place for place in content.places if place.cls not in STARTUP and not place.local), None)
    if entry is None or entry.site is None:
        return None
    where = entry.site.location
    return Fact(
        {
            "function": entry.site.function,
            "routine": entry.site.routine,
            "file": where.file if where is not None and where.file else None,
            "line": line_json(where)["line"],
            "place": short_place(where),
            "calls": entry.calls,
            "mean_s": entry.mean_s,
            "share": entry.share,
        },
        About(sites=(entry.site,)),
    )


def sentence(content: Content, found: Evidence) -> str:
    routine = f" in {found['routine']}" if found["routine"] not in ("", "?") else ""
    place = f" ({found['place']})" if found["place"] else ""
    return (
        f"{fmt.percent(found['share'])}: {found['function']}{routine}{place}, "
        f"{fmt.plural(found['calls'], 'call')}, {fmt.seconds(found['mean_s'])} on average."
    )


RULE = Rule(
    id="costliest-site",
    order=230,
    severity="notice",
    section="calls",
    facts=facts,
    sentence=sentence,
    threshold={"share": at_least(0.01)},
)
