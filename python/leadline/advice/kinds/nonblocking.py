"""Sends wait for their turn: in a chain of ranks, or for receives that are posted too late."""

from __future__ import annotations

from leadline.advice.candidate import Candidate, Kind
from leadline.advice.places import of_pattern
from leadline.figures.content import Content
from leadline.predict import Nonblocking

PATTERNS = ("serialised_order", "unexpected_large")


def candidates(content: Content) -> list[Candidate]:
    found = []
    for entry in content.patterns:
        if entry.name not in PATTERNS or not entry.sites:
            continue
        found.append(
            Candidate(
                "nonblocking",
                f"Make the messages of {of_pattern(entry)} nonblocking",
                "Post all receives (MPI_Irecv), then all sends (MPI_Isend), and wait for them together (MPI_Waitall).",
                entry.sites,
                Nonblocking(of_pattern(entry), tuple(member for site in entry.sites for member in site.members)),
                ("nothing that is sent is what the same exchange receives",),
            )
        )
    return found


KIND = Kind(id="nonblocking", order=26, candidates=candidates, patterns=PATTERNS)
