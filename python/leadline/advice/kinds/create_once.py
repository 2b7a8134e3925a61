"""Communicators, datatypes and the like that every iteration creates."""

from __future__ import annotations

from leadline.advice.candidate import Candidate, Kind
from leadline.advice.places import of_pattern
from leadline.figures.content import Content
from leadline.figures.patterns import PatternEntry
from leadline.predict import AnyChange, Computation, Without


def candidates(content: Content) -> list[Candidate]:
    found = []
    for entry in content.patterns:
        if entry.name != "repeated_creation" or not entry.sites:
            continue
        change = _change(content, entry)
        if change is None:
            continue
        what = entry.evidence.get("what") or "objects"
        found.append(
            Candidate(
                "create-once",
                f"Create the {what} of {of_pattern(entry)} once",
                "Create them before the loop and free them after it.",
                entry.sites,
                change,
                (f"the {what} are the same in every iteration",),
            )
        )
    return found


def _change(content: Content, entry: PatternEntry) -> AnyChange | None:
    """Calls about datatypes are local: what is recorded of them is their time, which is a part of the computation."""
    if not all(site.local for site in entry.sites):
        return Without(of_pattern(entry), tuple(member for site in entry.sites for member in site.members))
    loop = content.iterations.loop if content.iterations is not None else None
    phases = [phase.computation_s for phase in content.phases if phase.kind == "loop" and phase.parent is None]
    if loop is None or not phases or phases[0] <= 0:
        return None
    return Computation(of_pattern(entry), max(1 - entry.time_s / phases[0], 0.0), (loop.number,))


KIND = Kind(id="create-once", order=40, candidates=candidates, patterns=("repeated_creation",))
