"""A trace is missing, or ends before its program did."""

from __future__ import annotations

from leadline.report import format as fmt
from leadline.report.content import Content
from leadline.report.finding import Evidence, Rule


def evidence(content: Content) -> Evidence | None:
    run = content.run
    if run.complete:
        return None
    cut = sum(not process.complete for process in run.processes)
    return {"ranks": run.ranks, "ranks_recorded": len(run.processes), "traces_cut": cut}


def sentence(content: Content, found: Evidence) -> str:
    if found["ranks_recorded"] < found["ranks"]:
        of = fmt.plural(found["ranks"], "rank")
        return f"Only {found['ranks_recorded']:,} of {of} can be read; every figure covers these only."
    return "A trace ends before its program did; every figure covers only what was written until then."


RULE = Rule(
    id="incomplete",
    order=200,
    severity="warning",
    section="missing",
    evidence=evidence,
    sentence=sentence,
)
