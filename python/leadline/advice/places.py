"""Places in the words of a proposal."""

from __future__ import annotations

from leadline.figures.patterns import PatternEntry
from leadline.figures.run import Site


def of_pattern(entry: PatternEntry) -> str:
    """ "the loop at advection.cpp:356 (trcadv)", or the routine that all its calls are in."""
    told = entry.evidence
    routine = told.get("loop_routine")
    if routine:
        if told.get("loop_line"):
            file = str(told["loop_file"]).rsplit("/", 1)[-1]
            return f"the loop at {file}:{told['loop_line']} ({routine})"
        return f"the loop in {routine}"
    return entry.routines[-1] if entry.routines else "the program"


def of_site(site: Site) -> str:
    """ "MPI_Barrier at step.c:41 (advance)"."""
    place = site.location.place() if site.location is not None else ""
    return f"{site.function} at {place} ({site.routine})" if place else f"{site.function} in {site.routine}"
