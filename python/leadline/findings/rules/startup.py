"""Start-up and shut-down take a large part of the time."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.findings.finding import Evidence, Fact, Rule, at_least
from leadline.text import format as fmt


def facts(content: Content) -> Fact | None:
    spent_s = content.startup_s
    if not content.base_s > 0:
        return None
    return Fact(
        {
            "startup_s": spent_s,
            "share": spent_s / content.time_s,
            "mpi_share_of_rest": content.mpi_share,
        }
    )


def sentence(content: Content, found: Evidence) -> str:
    finalized = all(process.finalized for process in content.run.processes)
    calls = "MPI_Init and MPI_Finalize. Other shares exclude them" if finalized else "MPI_Init. Other shares exclude it"
    return f"{fmt.percent(found['share'])} of this short run is {calls}."


RULE = Rule(
    id="startup",
    order=300,
    severity="notice",
    section="functions",
    facts=facts,
    sentence=sentence,
    threshold={"share": at_least(0.25)},
)
