"""Start-up and shut-down take a large part of the time."""

from __future__ import annotations

from leadline.report import format as fmt
from leadline.report.content import Content
from leadline.report.finding import Evidence, Rule, at_least


def evidence(content: Content) -> Evidence | None:
    spent_s = sum(rank.category_s["startup"] for rank in content.ranks)
    rest_s = content.time_s - spent_s
    if not rest_s > 0:
        return None
    return {
        "startup_s": spent_s,
        "share": spent_s / content.time_s,
        "mpi_share_of_rest": (content.mpi_s - spent_s) / rest_s,
    }


def sentence(content: Content, found: Evidence) -> str:
    return (
        f"{fmt.percent(found['share'])} of the time is MPI_Init and MPI_Finalize; "
        f"MPI is {fmt.percent(found['mpi_share_of_rest'])} of the rest."
    )


RULE = Rule(
    id="startup",
    order=300,
    severity="notice",
    section="functions",
    evidence=evidence,
    sentence=sentence,
    threshold={"share": at_least(0.25)},
)
