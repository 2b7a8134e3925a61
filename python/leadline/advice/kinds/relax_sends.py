"""Synchronous sends wait until their receive is posted."""

from __future__ import annotations

from leadline.advice.candidate import Candidate, Kind
from leadline.figures.content import Content
from leadline.findings.rules.synchronous_sends import waits_by_routine
from leadline.predict import Relax


def candidates(content: Content) -> list[Candidate]:
    found = []
    for routine, waits in waits_by_routine(content).items():
        sites = tuple(dict.fromkeys(wait.site for wait in waits if wait.site is not None))
        members = tuple(dict.fromkeys(wait.member for wait in waits))
        found.append(
            Candidate(
                "relax-sends",
                f"Use MPI_Send instead of {sites[0].function} in {routine}",
                "A standard send of a short message does not wait for its receiver.",
                sites,
                Relax(routine, members),
                (
                    "nobody relies on a send that has returned for the message to have been received",
                    "the library has room for messages that arrive early",
                ),
            )
        )
    return found


KIND = Kind(id="relax-sends", order=45, candidates=candidates, findings=("synchronous-sends",))
