"""The MPI library ended a rank within a call: its error handler does, unless the program asked for error codes."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.figures.ending import ended_in_call
from leadline.figures.json_entries import rank_id
from leadline.figures.paths import short_place
from leadline.findings.finding import About, Evidence, Fact, Rule
from leadline.wording.endings import ranks_and_place


def facts(content: Content) -> Fact | None:
    if content.aborts or content.still_running or content.interruption:
        return None
    found = ended_in_call(content.run)
    if not found:
        return None
    first = found[0]
    site = first.site
    return Fact(
        {
            "rank": rank_id(first.rank),
            "ranks": len(found),
            "function": first.function,
            "routine": site.routine if site is not None and site.routine not in ("", "?") else None,
            "place": short_place(site.location) if site is not None else "",
            "exit_code": content.run.description.get("exit_code"),
        },
        About(sites=(site,) if site is not None else (), ranks=tuple(each.rank for each in found)),
    )


def sentence(content: Content, found: Evidence) -> str:
    who, where = ranks_and_place(found)
    verb = "were" if found["ranks"] > 1 else "was"
    return f"{who[0].upper()}{who[1:]} {verb} ended by an error in {found['function']}{where}. All figures end there."


RULE = Rule(
    id="ended-by-error",
    order=5,
    severity="warning",
    section="missing",
    facts=facts,
    sentence=sentence,
    in_verdict=True,
)
