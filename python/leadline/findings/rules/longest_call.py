"""One call took much longer than those of its function on average."""

from __future__ import annotations

import math

from leadline.figures.content import Content
from leadline.figures.entries import STARTUP
from leadline.figures.json_entries import rank_id
from leadline.findings.finding import About, Evidence, Fact, Rule, at_least
from leadline.text import format as fmt


def facts(content: Content) -> Fact | None:
    timed = [e for e in content.functions if e.cls not in STARTUP and not e.local and e.per_call_max_s > 0]
    if not timed:
        return None
    worst = max(timed, key=lambda entry: entry.per_call_max_s)
    longest, run_s = worst.per_call_max_s, content.run.duration_s
    return Fact(
        {
            "function": worst.name,
            "rank": rank_id(worst.per_call_max_rank),
            "longest_s": longest,
            "mean_s": worst.mean_s,
            "times_mean": longest / worst.mean_s if worst.mean_s > 0 else math.inf,
            "share_of_run": longest / run_s if run_s > 0 else math.inf,
        },
        About(ranks=(worst.per_call_max_rank,)),
    )


def sentence(content: Content, found: Evidence) -> str:
    return (
        f"The longest call took {fmt.seconds(found['longest_s'])}: {found['function']} on rank {found['rank']}, "
        f"{fmt.times(found['times_mean'])} the mean of that function."
    )


RULE = Rule(
    id="longest-call",
    order=250,
    severity="notice",
    section="functions",
    facts=facts,
    sentence=sentence,
    threshold={"times_mean": at_least(10), "share_of_run": at_least(0.001)},
)
