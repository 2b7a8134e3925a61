"""The report was made while the program runs."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.findings.finding import Evidence, Fact, Rule, at_least
from leadline.text import format as fmt


def facts(content: Content) -> Fact | None:
    found = content.still_running
    return None if found is None else Fact({"ranks": found[0], "elapsed_s": found[1]})


def sentence(content: Content, found: Evidence) -> str:
    ranks, recorded = found["ranks"], len(content.run.processes)
    some = f"{ranks} of {fmt.plural(recorded, 'rank')} {'is' if ranks == 1 else 'are'}"
    who = "The run is" if ranks == recorded else some
    return f"{who} still going after {fmt.seconds(found['elapsed_s'])}: these are the figures so far."


RULE = Rule(
    id="still-running",
    order=4,
    severity="warning",
    section="missing",
    facts=facts,
    sentence=sentence,
    threshold={"ranks": at_least(1)},
    in_verdict=True,
)
