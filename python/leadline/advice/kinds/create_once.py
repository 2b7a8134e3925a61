"""Communicators, datatypes and the like that every iteration creates."""

from __future__ import annotations

from leadline.advice.candidate import Candidate, Kind
from leadline.advice.places import of_pattern
from leadline.figures.content import Content
from leadline.predict import Without


def candidates(content: Content) -> list[Candidate]:
    found = []
    for entry in content.patterns:
        if entry.name != "repeated_creation" or not entry.sites:
            continue
        members = tuple(member for site in entry.sites for member in site.members)
        what = entry.evidence.get("what") or "objects"
        found.append(
            Candidate(
                "create-once",
                f"Create the {what} of {of_pattern(entry)} once",
                "Create them before the loop and free them after it.",
                entry.sites,
                Without(of_pattern(entry), members),
                (f"the {what} are the same in every iteration",),
            )
        )
    return found


KIND = Kind(id="create-once", order=40, candidates=candidates, patterns=("repeated_creation",))
