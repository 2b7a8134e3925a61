"""Reductions or broadcasts one after another that could be one."""

from __future__ import annotations

import math

from leadline.advice.candidate import Candidate, Kind
from leadline.advice.places import of_site
from leadline.figures.content import Content
from leadline.figures.patterns import PatternEntry
from leadline.predict import Merge

MOST_PLACES = 3
ALL_WAIT = "MPI_Allreduce"
PATTERNS = ("consecutive_reductions", "consecutive_broadcasts")


def candidates(content: Content) -> list[Candidate]:
    found = []
    for entry in content.patterns:
        if entry.name not in PATTERNS or not entry.sites:
            continue
        if entry.name == "consecutive_broadcasts":
            found.append(_broadcasts(entry))
            continue
        members = tuple(member for site in entry.sites for member in site.members)
        found.append(
            Candidate(
                "merge-reductions",
                f"Make one reduction of {entry.evidence['together']:,} {_in_a_row(entry)}",
                "Put the values into one array and reduce that.",
                entry.sites,
                Merge(of_site(entry.sites[0]), members),
                (
                    "no reduction needs what an earlier one computed",
                    "all use one operation (otherwise define one by MPI_Op_create)",
                ),
                together=_values(entry),
                most_s=_most_s(content, entry),
            )
        )
    return found


def _most_s(content: Content, entry: PatternEntry) -> float:
    """What the calls take that are not made, on a rank, if each is as short as the shortest. Recording a call takes as
    long as a short reduction, and not as long on each rank: ranks that go from one to the next at once come apart and
    wait, and do not when they are not recorded. So it is of reductions that no rank leaves before all are there."""
    calls = {each.site: each for each in content.sites if each.site in entry.sites}
    known = all(each.per_call_min_s > 0 for each in calls.values())
    if not calls or not known or any(site.function != ALL_WAIT for site in entry.sites):
        return math.inf
    shortest_s = sum(each.calls * each.per_call_min_s for each in calls.values())
    return shortest_s / content.run.ranks * (1 - 1 / max(int(entry.evidence["together"]), 1))


def _in_a_row(entry: PatternEntry) -> str:
    """ "in a row in step (step.f90:384, step.f90:391)": the lines of the routine that has all calls, since these
    themselves may lie in one line of a function of the program's own around MPI."""
    if len(entry.sites) == 1:
        return f"in a loop: {of_site(entry.sites[0])}"
    routine, lines = entry.evidence.get("called_in"), entry.evidence.get("called_at", ())
    if not routine:
        return f"in a row, among them {of_site(entry.sites[0])}"
    at = f" ({', '.join(lines[:MOST_PLACES])}{', …' if len(lines) > MOST_PLACES else ''})" if lines else ""
    return f"in a row in {routine}{at}"


def _values(entry: PatternEntry) -> int:
    """How many calls become one."""
    return int(entry.evidence["together"]) if len(entry.sites) == 1 else len(entry.sites)


def _broadcasts(entry: PatternEntry) -> Candidate:
    return Candidate(
        "merge-reductions",
        f"Make one broadcast of {entry.evidence['together']:,} {_in_a_row(entry)}",
        "Put the values into one array or datatype and broadcast that.",
        entry.sites,
        Merge(of_site(entry.sites[0]), tuple(member for site in entry.sites for member in site.members)),
        ("no broadcast needs what an earlier one brought",),
        together=_values(entry),
    )


KIND = Kind(id="merge-reductions", order=35, candidates=candidates, patterns=PATTERNS)
