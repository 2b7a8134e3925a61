"""The program, or its user, paused the recording."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.findings.finding import About, Evidence, Fact, Rule, at_least
from leadline.text import format as fmt


def facts(content: Content) -> Fact | None:
    paused = content.paused
    longest_s = max((rank.seconds for rank in paused), default=0.0)
    return Fact({"ranks": len(paused), "longest_s": longest_s}, About(ranks=tuple(rank.rank for rank in paused)))


def sentence(content: Content, found: Evidence) -> str:
    return (
        f"Recording was paused on {fmt.plural(found['ranks'], 'rank')} for up to {fmt.seconds(found['longest_s'])}; "
        "MPI calls made then are missing from all figures."
    )


RULE = Rule(
    id="paused",
    order=210,
    severity="warning",
    section="missing",
    facts=facts,
    sentence=sentence,
    threshold={"ranks": at_least(1)},
)
