"""An all-to-all in which each rank has data for few others."""

from __future__ import annotations

import re

from leadline.advice.candidate import Candidate, Kind
from leadline.advice.places import of_site
from leadline.figures.content import Content
from leadline.figures.patterns import PatternEntry
from leadline.predict import ExchangeFew
from leadline.text import format as fmt

PATTERN = "sparse_alltoall"
BLOCKING = re.compile("MPI_Alltoall[vw](_c)?$")


def candidates(content: Content) -> list[Candidate]:
    return [
        _candidate(entry)
        for entry in content.patterns
        if entry.name == PATTERN and entry.sites and BLOCKING.match(entry.sites[0].function)
    ]


def _candidate(entry: PatternEntry) -> Candidate:
    site, told = entry.sites[0], entry.evidence
    members = tuple(member for each in entry.sites for member in each.members)
    return Candidate(
        "sparse-exchange",
        f"Send messages to the few partners of {of_site(site)}",
        f"A rank exchanges data with {fmt.number(told['partners'])} of {told['of_ranks'] - 1} others: MPI_Irecv and "
        "MPI_Isend for these, or MPI_Neighbor_alltoallv on a communicator that has only these as neighbours.",
        entry.sites,
        ExchangeFew(of_site(site), members),
        ("nobody relies on the call to wait for ranks from which no data come",),
    )


KIND = Kind(id="sparse-exchange", order=29, candidates=candidates, patterns=(PATTERN,))
