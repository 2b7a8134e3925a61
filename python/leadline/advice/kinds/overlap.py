"""Messages are waited for before anything is computed."""

from __future__ import annotations

from leadline.advice.candidate import Candidate, Kind
from leadline.advice.places import of_pattern, of_site
from leadline.figures.content import Content
from leadline.findings import findings_of
from leadline.findings.rules.waiting import IN_TURN
from leadline.predict import Overlap

DEPENDENT = ("pipeline", "ring", "master_worker", "wildcard_receive", "handmade_broadcast", "handmade_reduction")
RECEIVES = ("MPI_Recv", "MPI_Recv_c")


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
    return [*found, *_in_turn(content)]


def _in_turn(content: Content) -> list[Candidate]:
    """Ranks that compute equally long, but one after another: each receives before it computes and sends. Where each
    passes on what it received, which more than two ranks show, that is the nature of a pipeline."""
    passed_on = {site for entry in content.patterns if entry.name in DEPENDENT for site in entry.sites}
    found = []
    for finding in findings_of(content):
        told = finding.evidence
        if finding.id != "waiting" or finding.help != IN_TURN or told["function"] not in RECEIVES:
            continue
        sites = tuple(site for site in finding.about.sites if site not in passed_on)
        if not sites:
            continue
        where = of_site(sites[0])
        found.append(
            Candidate(
                "overlap",
                f"Compute before waiting for {where}",
                "Post the receive (MPI_Irecv), compute and send, and wait (MPI_Wait) only before what needs it.",
                sites,
                Overlap(where, members=tuple(n for site in sites for n in site.members), independent=True),
                ("what is computed next, and sent, does not need what is received",),
            )
        )
    return found


KIND = Kind(id="overlap", order=27, candidates=candidates, patterns=("no_overlap",))
