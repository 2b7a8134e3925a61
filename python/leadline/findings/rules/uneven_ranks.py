"""One rank computes longer than the others, which wait for it."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.figures.json_entries import rank_id
from leadline.findings.finding import About, Evidence, Fact, Rule, at_least
from leadline.statistics.median import median
from leadline.text import format as fmt


def facts(content: Content) -> Fact | None:
    ranks = content.ranks
    if len(ranks) < 2 or content.run.ends_apart:
        return None
    most = max(ranks, key=lambda rank: rank.computation_s)
    middle = median(rank.computation_s for rank in ranks)
    if not middle > 0:
        return None
    return Fact(
        {
            "rank": rank_id(most.rank),
            "computation_s": most.computation_s,
            "median_s": middle,
            "times_median": most.computation_s / middle,
            "share": content.share(most.computation_s * len(ranks)),  # of the time, if all computed as long
        },
        About(ranks=(most.rank,)),
    )


def sentence(content: Content, found: Evidence) -> str:
    return (
        f"Rank {found['rank']} computes for {fmt.seconds(found['computation_s'])}, "
        f"{fmt.times(found['times_median'])} the median ({fmt.seconds(found['median_s'])})."
    )


RULE = Rule(
    id="uneven-ranks",
    order=240,
    severity="notice",
    section="ranks",
    facts=facts,
    sentence=sentence,
    threshold={"times_median": at_least(1.1), "share": at_least(0.01)},
)
