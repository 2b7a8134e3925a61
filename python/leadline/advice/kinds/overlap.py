"""Messages are waited for before anything is computed."""

from __future__ import annotations

from leadline.advice.candidate import Candidate, Kind
from leadline.advice.places import of_pattern
from leadline.figures.content import Content
from leadline.predict import Overlap


def candidates(content: Content) -> list[Candidate]:
    found = []
    for entry in content.patterns:
        if entry.name != "no_overlap" or not entry.sites or not entry.messages:
            continue
        found.append(
            Candidate(
                "overlap",
                f"Compute while the messages of {of_pattern(entry)} travel",
                "Wait (MPI_Waitall) only after what needs nothing of what is received, such as a block's inner points.",
                entry.sites,
                Overlap(of_pattern(entry), members=tuple(member for site in entry.sites for member in site.members)),
                (
                    "what is computed next does not need what is received",
                    "the library sends long messages while ranks compute, if leadline calibrate did not measure it",
                ),
            )
        )
    return found


KIND = Kind(id="overlap", order=27, candidates=candidates, patterns=("no_overlap",))
