"""The program ended the run itself, by MPI_Abort."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.figures.json_entries import rank_id
from leadline.figures.paths import short_place
from leadline.findings.finding import About, Evidence, Fact, Rule
from leadline.wording.endings import ranks_and_place


def facts(content: Content) -> Fact | None:
    if not content.aborts or content.still_running or content.interruption or content.ended_at_start.all_ranks:
        return None
    # Others may follow the first, each from another place: how many ranks do depends on timing.
    entry = max(content.aborts, key=lambda each: each.calls)
    site = entry.site
    return Fact(
        {
            "rank": rank_id(entry.calls_spread.max_rank),
            "ranks": sum(each.ranks for each in content.aborts),
            "routine": site.routine if site is not None and site.routine not in ("", "?") else None,
            "place": short_place(site.location) if site is not None else "",
            "exit_code": content.run.description.get("exit_code"),
        },
        About(sites=(site,) if site is not None else (), ranks=(entry.calls_spread.max_rank,)),
    )


def sentence(content: Content, found: Evidence) -> str:
    who, where = ranks_and_place(found)
    return f"{who[0].upper()}{who[1:]} called MPI_Abort{where}. All figures end there."


RULE = Rule(
    id="aborted",
    order=7,
    severity="warning",
    section="missing",
    facts=facts,
    sentence=sentence,
    in_verdict=True,
)
