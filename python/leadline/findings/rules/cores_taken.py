"""Ranks waited for cores, although there were enough for them."""

from __future__ import annotations

from leadline.figures import core_sharing
from leadline.figures.content import Content
from leadline.findings.finding import Evidence, Fact, Rule, at_least
from leadline.findings.rules.oversubscribed import crowded
from leadline.text import format as fmt

WAITING_FOR_OTHERS = 0.1  # of the ranks' time


def facts(content: Content) -> Fact | None:
    if crowded(content) or not content.host_uses:
        return None
    waited = core_sharing.waited_share(content.run.processes)
    return None if waited is None else Fact({"waited_share": waited})


def sentence(content: Content, found: Evidence) -> str:
    return (
        f"The ranks spent {fmt.percent(found['waited_share'])} of their time waiting for a core although there were "
        "enough: other work used them. Record again on an idle machine."
    )


RULE = Rule(
    id="cores-taken",
    order=40,
    severity="warning",
    section="placement",
    facts=facts,
    sentence=sentence,
    threshold={"waited_share": at_least(WAITING_FOR_OTHERS)},
    in_verdict=True,
)
