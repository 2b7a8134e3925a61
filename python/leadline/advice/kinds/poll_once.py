"""A rank looks again and again for what has not come, and then goes on without it."""

from __future__ import annotations

from leadline.advice.candidate import Candidate, Kind
from leadline.advice.places import of_pattern
from leadline.figures.content import Content
from leadline.figures.run import Site
from leadline.predict import PollOnce

PATTERN = "polling"


def candidates(content: Content) -> list[Candidate]:
    places: dict[str, list[Site]] = {}
    for entry in content.patterns:
        if entry.name == PATTERN and entry.sites:
            places.setdefault(of_pattern(entry), []).extend(entry.sites)
    return [
        Candidate(
            "poll-once",
            f"Poll once in {where}, not until something is found",
            f"{sites[0].function} finds nothing many times in a row, and the program goes on. Where it cannot go on "
            "without the message, wait for it: MPI_Wait, MPI_Recv or MPI_Probe.",
            tuple(sites),
            PollOnce(where, tuple(member for site in sites for member in site.members)),
            ("what is looked for may be found an iteration later",),
        )
        for where, sites in places.items()
    ]


KIND = Kind(id="poll-once", order=44, candidates=candidates, patterns=(PATTERN,))
