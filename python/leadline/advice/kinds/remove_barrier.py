"""Barriers between calls that synchronise the ranks already."""

from __future__ import annotations

from leadline.advice.candidate import Candidate, Kind
from leadline.advice.places import of_site
from leadline.figures.content import Content
from leadline.predict import Without


def candidates(content: Content) -> list[Candidate]:
    found = []
    for entry in content.patterns:
        if entry.name != "redundant_barrier" or not entry.sites:
            continue
        members = tuple(member for site in entry.sites for member in site.members)
        others = f" and {len(entry.sites) - 1} more" if len(entry.sites) > 1 else ""
        found.append(
            Candidate(
                "remove-barrier",
                f"Leave out {of_site(entry.sites[0])}{others}",
                "The messages or collectives beside it order the ranks already.",
                entry.sites,
                Without(of_site(entry.sites[0]), members),
                ("nothing but MPI's calls needs the ranks in step: no files, no shared memory, no timing",),
            )
        )
    return found


KIND = Kind(id="remove-barrier", order=30, candidates=candidates, patterns=("redundant_barrier",))
