"""The program, or its user, paused the recording."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.findings.finding import Evidence, Rule, at_least
from leadline.text import format as fmt


def evidence(content: Content) -> Evidence | None:
    paused = content.paused
    return {"ranks": len(paused), "longest_s": max((rank.seconds for rank in paused), default=0.0)}


def sentence(content: Content, found: Evidence) -> str:
    return (
        f"Recording was paused on {fmt.plural(found['ranks'], 'rank')}, for {fmt.seconds(found['longest_s'])} at most. "
        "No figure includes the MPI calls made meanwhile."
    )


RULE = Rule(
    id="paused",
    order=210,
    severity="warning",
    section="missing",
    evidence=evidence,
    sentence=sentence,
    threshold={"ranks": at_least(1)},
)
