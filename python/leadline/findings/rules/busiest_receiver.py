"""One rank receives much more than the others."""

from __future__ import annotations

import math

from leadline.figures.content import Content
from leadline.figures.json_entries import rank_id
from leadline.findings.finding import About, Evidence, Fact, Rule, at_least
from leadline.statistics.median import median
from leadline.text import format as fmt


def facts(content: Content) -> Fact | None:
    received = {rank.rank: 0 for rank in content.ranks}  # in messages
    for entry in content.matrix:
        if entry.target in received:
            received[entry.target] += entry.n_bytes
    volume = sum(received.values())
    if not volume:
        return None
    most = max(received, key=lambda rank: received[rank])
    middle = median(received.values())
    return Fact(
        {
            "ranks": len(received),
            "rank": rank_id(most),
            "bytes": received[most],
            "share": received[most] / volume,
            "median_bytes": middle,
            "times_median": received[most] / middle if middle > 0 else math.inf,
        },
        About(ranks=(most,)),
    )


def sentence(content: Content, found: Evidence) -> str:
    return (
        f"{fmt.percent(found['share'])} of the message bytes ({fmt.size(found['bytes'])}) go to rank {found['rank']}; "
        f"the median rank receives {fmt.size(found['median_bytes'])}."
    )


RULE = Rule(
    id="busiest-receiver",
    order=260,
    severity="notice",
    section="matrix",
    facts=facts,
    sentence=sentence,
    threshold={"ranks": at_least(4), "times_median": at_least(2)},
)
