"""A rank looks again and again for what has not come, and then goes on without it."""

from __future__ import annotations

from leadline.advice.candidate import Candidate, Kind
from leadline.advice.places import of_pattern
from leadline.figures.content import Content
from leadline.predict import PollOnce

PATTERN = "polling"


def candidates(content: Content) -> list[Candidate]:
    found = []
    for entry in content.patterns:
        if entry.name != PATTERN or not entry.sites:
            continue
        where = of_pattern(entry)
        found.append(
            Candidate(
                "poll-once",
                f"Poll once in {where}, not until something is found",
                f"{entry.sites[0].function} finds nothing many times in a row, and the program goes on. Where it "
                "cannot go on without the message, wait for it: MPI_Wait, MPI_Recv or MPI_Probe.",
                entry.sites,
                PollOnce(where, tuple(member for site in entry.sites for member in site.members)),
                ("what is looked for may be found an iteration later",),
            )
        )
    return found


KIND = Kind(id="poll-once", order=44, candidates=candidates, patterns=(PATTERN,))
