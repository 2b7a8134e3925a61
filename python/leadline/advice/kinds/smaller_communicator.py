"""Ranks that make a collective call without data."""

from __future__ import annotations

from leadline.advice.candidate import Candidate, Kind
from leadline.advice.places import of_site
from leadline.figures.content import Content
from leadline.figures.patterns import PatternEntry
from leadline.predict import LeaveOutIdle
from leadline.text import format as fmt

PATTERN = "idle_in_collective"


def candidates(content: Content) -> list[Candidate]:
    return [_candidate(entry) for entry in content.patterns if entry.name == PATTERN and entry.sites]


def _candidate(entry: PatternEntry) -> Candidate:
    site, told = entry.sites[0], entry.evidence
    members = tuple(member for each in entry.sites for member in each.members)
    return Candidate(
        "smaller-communicator",
        f"Leave the {fmt.plural(told['idle'], 'rank')} without data out of {of_site(site)}",
        f"{told['idle']} of {told['of_ranks']} ranks neither send nor receive anything there. Make a communicator of "
        "the others once, by MPI_Comm_split, and call it on that.",
        entry.sites,
        LeaveOutIdle(of_site(site), members),
        (
            "the same ranks have no data in a longer run, too",
            "nobody relies on the call to keep these ranks in step with the others",
        ),
    )


KIND = Kind(id="smaller-communicator", order=34, candidates=candidates, patterns=(PATTERN,))
