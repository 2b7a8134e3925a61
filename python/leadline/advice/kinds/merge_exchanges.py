"""Exchanges with the same partners one after another that could be one."""

from __future__ import annotations

from leadline.advice.candidate import Candidate, Kind
from leadline.advice.places import of_pattern, of_site
from leadline.figures.content import Content
from leadline.predict import Merge


def candidates(content: Content) -> list[Candidate]:
    found = []
    for entry in content.patterns:
        if entry.name != "consecutive_exchanges" or not entry.sites:
            continue
        told = entry.evidence
        where = told.get("called_in") or of_pattern(entry)
        found.append(
            Candidate(
                "merge-exchanges",
                f"Exchange together what {where} exchanges in {told['together']:,} calls",
                "Copy the halos of all fields for a neighbour into one buffer and send that. Leadline's segments do "
                "that.",
                entry.sites,
                Merge(of_site(entry.sites[0]), tuple(member for site in entry.sites for member in site.members)),
                ("no exchange needs what an earlier one brought",),
                together=int(told["together"]),
            )
        )
    return found


KIND = Kind(id="merge-exchanges", order=25, candidates=candidates, patterns=("consecutive_exchanges",))
