"""One iteration of the main loop took much longer than the others."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.figures.json_entries import rank_id
from leadline.findings.finding import About, Evidence, Fact, Rule, at_least, main_loop
from leadline.text import format as fmt

FACTOR = 2  # as outlier_factor in src/analysis/iterations.cpp, which keeps no others


def facts(content: Content) -> Fact | None:
    found = content.iterations
    if found is None or found.region is not None or found.lumped:
        return None
    outliers = [outlier for outlier in found.found.outliers if outlier.typical_ns > 0]
    if not outliers:
        return None
    worst = max(outliers, key=lambda outlier: outlier.time_ns / outlier.typical_ns)
    return Fact(
        {
            "iteration": worst.iteration,
            "rank": rank_id(content.run.label(worst.process)),
            "time_s": worst.time_ns * 1e-9,
            "typical_s": worst.typical_ns * 1e-9,
            "times_typical": worst.time_ns / worst.typical_ns,
            "share": content.share((worst.time_ns - worst.typical_ns) * 1e-9 * len(content.ranks)),
        },
        About(loop=main_loop(content), ranks=(content.run.label(worst.process),)),
    )


def sentence(content: Content, found: Evidence) -> str:
    return (
        f"Iteration {found['iteration']:,} took {fmt.seconds(found['time_s'])} on rank {found['rank']}, "
        f"{fmt.times(found['times_typical'])} the median ({fmt.seconds(found['typical_s'])})."
    )


RULE = Rule(
    id="slow-iteration",
    order=235,
    severity="notice",
    section="iterations",
    facts=facts,
    sentence=sentence,
    threshold={"times_typical": at_least(FACTOR), "share": at_least(0.01)},
)
