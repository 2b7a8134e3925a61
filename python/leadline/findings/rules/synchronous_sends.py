"""Synchronous sends wait until their receive is posted, which a standard send of a short message would not."""

from __future__ import annotations

from collections import defaultdict

from leadline.figures.content import Content
from leadline.figures.waits import WaitEntry
from leadline.findings.finding import About, Evidence, Fact, Rule, at_least
from leadline.text import format as fmt

FUNCTIONS = ("MPI_Ssend", "MPI_Ssend_c")
LATE_RECEIVER = "late_receiver"
# MPI libraries send such messages before their receive is posted. Within a node, blocking sends of more than 256 bytes
# return only then in Open MPI 5, although they are eager.
SHORT_BYTES = 200


def waits_by_routine(content: Content) -> dict[str, list[WaitEntry]]:
    """Waits of synchronous sends of short messages, by the routine that sends."""
    mean_bytes = {entry.site: entry.n_bytes / entry.messages for entry in content.sites if entry.messages}
    found = defaultdict(list)
    for wait in content.waits.entries:
        site = wait.site
        if site is None or site.function not in FUNCTIONS or wait.kind != LATE_RECEIVER:
            continue
        if mean_bytes.get(site, 0.0) <= SHORT_BYTES:
            found[site.routine].append(wait)
    return dict(found)


def facts(content: Content) -> list[Fact]:
    found = []
    for routine, waits in waits_by_routine(content).items():
        wait_s = sum(wait.seconds for wait in waits)
        sites = tuple(dict.fromkeys(wait.site for wait in waits if wait.site is not None))
        evidence = {
            "function": sites[0].function,
            "routine": routine,
            "ranks": len({wait.rank for wait in waits}),
            "wait_s": wait_s,
            "share": content.share(wait_s),
            "lost_share": content.share(wait_s),
            "estimated": content.waits.estimated,
        }
        found.append(Fact(evidence, About(sites=sites)))
    return found


def sentence(content: Content, found: Evidence) -> str:
    about = "About " if found["estimated"] else ""
    who = fmt.plural(found["ranks"], "rank waits", "ranks wait")
    return (
        f"{about}{fmt.percent(found['lost_share'])}: {who} in {found['function']} ({found['routine']}) until the short "
        "message is received."
    )


RULE = Rule(
    id="synchronous-sends",
    order=214,
    severity="notice",
    section="waits",
    facts=facts,
    sentence=sentence,
    threshold={"share": at_least(0.01)},
    cost_s=lambda found: float(found["wait_s"]),
    help=lambda found: "Use MPI_Send, which does not wait for the receiver of a short message.",
)
