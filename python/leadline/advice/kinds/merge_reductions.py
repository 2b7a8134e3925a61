"""Reductions or broadcasts one after another that could be one."""

from __future__ import annotations

from leadline.advice.candidate import Candidate, Kind
from leadline.advice.places import of_site
from leadline.figures.content import Content
from leadline.figures.patterns import PatternEntry
from leadline.predict import Merge

PATTERNS = ("consecutive_reductions", "consecutive_broadcasts")


def candidates(content: Content) -> list[Candidate]:
    found = []
    for entry in content.patterns:
        if entry.name not in PATTERNS or len(entry.sites) < 2:
            continue
        if entry.name == "consecutive_broadcasts":
            found.append(_broadcasts(entry))
            continue
        last = entry.sites[-1]
        members = tuple(member for site in entry.sites for member in site.members)
        others = of_site(entry.sites[0])
        found.append(
            Candidate(
                "merge-reductions",
                f"Make one reduction of {len(entry.sites)}, from {others} to {of_site(last)}",
                "Put the values into one array and reduce that.",
                entry.sites,
                Merge(others, members),
                (
                    "no reduction needs what an earlier one computed",
                    "all use one operation (otherwise define one by MPI_Op_create)",
                ),
                together=len(entry.sites),
            )
        )
    return found


def _broadcasts(entry: PatternEntry) -> Candidate:
    first, last = of_site(entry.sites[0]), of_site(entry.sites[-1])
    return Candidate(
        "merge-reductions",
        f"Make one broadcast of {len(entry.sites)}, from {first} to {last}",
        "Put the values into one array or datatype and broadcast that.",
        entry.sites,
        Merge(first, tuple(member for site in entry.sites for member in site.members)),
        ("no broadcast needs what an earlier one brought",),
        together=len(entry.sites),
    )


KIND = Kind(id="merge-reductions", order=35, candidates=candidates, patterns=PATTERNS)
