"""More threads ran on a host than there are cores for them."""

from __future__ import annotations

import math

from leadline.figures import core_sharing
from leadline.figures.content import Content
from leadline.findings.finding import Evidence, Fact, Rule, at_least, more_than
from leadline.text import format as fmt

WAITING_WORTH_SAYING = 0.02  # of the ranks' time


def crowded(content: Content) -> list[core_sharing.HostUse]:
    """Hosts whose ranks shared cores and had to wait, as far as the system reports it."""
    uses = content.host_uses
    return [use for use in uses if use.oversubscribed and _is_felt(use.waited_share)]


def _is_felt(waited: float | None) -> bool:
    return RULE.threshold["waited_share"].reached(waited)


def facts(content: Content) -> Fact | None:
    """The figures of the host where most threads shared a core. If none was crowded, all hosts count."""
    found = crowded(content)
    uses = found or content.host_uses
    if not uses:
        return None
    use = max(uses, key=lambda use: (use.threads / use.cores, use.ranks))
    return Fact(
        {
            "host": use.host,
            "ranks": use.ranks,
            "threads": use.threads,
            "cores": use.cores,
            "host_cores": use.host_cores,
            "waited_share": use.waited_share,
            "hosts": len(found),
            "threads_per_core": use.threads / use.cores,
        }
    )


def sentence(content: Content, found: Evidence) -> str:
    ranks, threads, cores, hosts = found["ranks"], found["threads"], found["cores"], found["hosts"]
    who = fmt.plural(ranks, "rank")
    if threads > ranks:
        who += f" with {threads} busy threads"
    verb = "shares" if ranks == 1 and threads == 1 else "share"
    one = cores == 1 and found["host_cores"] <= 1
    shared = f"{cores:g} of the {found['host_cores']}" if found["host_cores"] > cores else f"{cores:g}"
    shared += " core" if one else " cores"
    where = f" on {found['host']}" if found["host"] else ""
    others = f" (as on {fmt.plural(hosts - 1, 'more host')})" if hosts > 1 else ""
    if found["waited_share"] is None:
        return f"{who} {verb} {shared}{where}{others}. All times below include waits for a core. {_instead(found)}"
    waited = fmt.percent(found["waited_share"])
    spend, their = ("spends", "its") if verb == "shares" else ("spend", "their")
    return (
        f"{who} {verb} {shared}{where}{others} and {spend} {waited} of {their} time waiting for a core. "
        f"All times below include that. {_instead(found)}"
    )


def _instead(found: Evidence) -> str:
    """How to get times without waits for a core."""
    cores = math.floor(found["cores"])
    if cores < 1:
        return "For undisturbed times, record with more cores."
    some = fmt.plural(cores, "rank" if found["threads"] <= found["ranks"] else "thread")
    return f"For undisturbed times, use at most {some}{' per host' if found['hosts'] > 1 else ''}, or more cores."


RULE = Rule(
    id="oversubscribed",
    order=30,
    severity="warning",
    section="placement",
    facts=facts,
    sentence=sentence,
    threshold={"threads_per_core": more_than(1), "waited_share": at_least(WAITING_WORTH_SAYING)},
    in_verdict=True,
)
