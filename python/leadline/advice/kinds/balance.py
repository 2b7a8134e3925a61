"""Some ranks compute longer than others, and the others wait."""

from __future__ import annotations

from collections import defaultdict

from leadline.advice import places
from leadline.advice.candidate import Candidate, Kind
from leadline.figures.content import Content
from leadline.figures.run import Site
from leadline.findings.attribution import IN_TURN
from leadline.findings.rules.imbalance import facts
from leadline.findings.rules.synchronous_sends import waits_by_routine
from leadline.predict import Balance
from leadline.text import format as fmt

MOST_SITES = 5
LEAST_WAIT = 0.02  # a share of the time: less may be the machine
MOSTLY = 0.75


def candidates(content: Content) -> list[Candidate]:
    found = facts(content)
    if found is None or found.evidence["kind"] not in ("fixed", "host", "wandering", "changing", "rare"):
        return _of_parts(content)
    told = found.evidence
    if told["kind"] in IN_TURN and _made_by_sends(content) >= told["lost_s"] / 2:
        return []
    assumes: tuple[str, ...]
    evenly = "each iteration's work can be divided evenly, at no cost"
    if told["kind"] == "wandering":
        title = "Balance the work while the program runs"
        text = "The slowest rank changes every few iterations: redistribute the work, or take it from a shared queue."
        assumes = (evenly,)
    elif told["kind"] == "changing":
        title = "Divide each iteration's work evenly"
        text = "Another rank computes longest from one iteration to the next: take the work from a shared queue."
        assumes = (evenly, "it is the program's own: on a busy machine computation varies, too")
    elif told["kind"] == "rare":
        if not content.waits.imbalance.rare_period:
            return []  # perhaps the machine
        period = f"{told['rare_period']:,} iterations" if told["rare_period"] else "few iterations"
        title = f"Divide the work of every {period} among the ranks"
        text = f"Every {period}, one rank computes far longer than the others, which wait."
        assumes = (evenly, "it is work of the program, not of the system")
    else:
        who = f"the ranks on {told['host']}" if told["kind"] == "host" else f"rank {told['rank']}"
        title = f"Rebalance the work: {who} has too much"
        less = 1 - 1 / told["times_mean"] if told["times_mean"] > 0 else 0.0
        text = (
            f"Move work from {who}, which computes {fmt.times(told['times_mean'])} as long as the mean in every "
            f"iteration ({fmt.percent(less)} too much), to the others."
        )
        slower = "their cores are" if told["kind"] == "host" else f"{who}'s core is"
        assumes = ("the work can be divided evenly", f"{slower} no slower than others")
    longest = sorted(content.waits.entries, key=lambda entry: -entry.seconds)
    sites = tuple(dict.fromkeys(entry.site for entry in longest if entry.site is not None))[:MOST_SITES]
    return [
        Candidate("balance", title, text, sites, Balance(each_iteration=told["kind"] not in ("fixed", "host")), assumes)
    ]


def _of_parts(content: Content) -> list[Candidate]:
    """Where the ranks compute equally long in an iteration, but another one is late in another part of it."""
    late = _late_ranks(content)
    if len({rank for _, rank in late}) < 2:
        return []
    waits = " and ".join(f"rank {rank} is late at {places.of_site(site)}" for site, rank in late[:2])
    text = f"The ranks compute equally long in an iteration, but {waits}: divide the work before each of them evenly."
    sites = tuple(site for site, _ in late)[:MOST_SITES]
    assumes = ("the work before each call can be divided evenly",)
    title = "Balance each part of an iteration: in each, another rank has too much"
    return [Candidate("balance", title, text, sites, Balance(each_iteration=False), assumes)]


def _late_ranks(content: Content) -> list[tuple[Site, str]]:
    """Calls that others wait for because one rank still computes, mostly the same; longest waits first."""
    waits: dict[Site, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for entry in content.waits.entries:
        for cause in entry.causes:
            if entry.site is not None and cause.doing == "computation":
                waits[entry.site][cause.rank] += cause.share * entry.seconds
    found = []
    for site, by_rank in sorted(waits.items(), key=lambda each: -sum(each[1].values())):
        all_s, rank = sum(by_rank.values()), max(by_rank, key=lambda each: by_rank[each])
        if content.share(all_s) >= LEAST_WAIT and by_rank[rank] >= MOSTLY * all_s:
            found.append((site, rank))
    return found


def _made_by_sends(content: Content) -> float:
    """Seconds that ranks wait in synchronous sends, without which those that are slow in turn need not wait."""
    return sum(wait.seconds for waits in waits_by_routine(content).values() for wait in waits)


KIND = Kind(id="balance", order=10, candidates=candidates, findings=("imbalance", "uneven-ranks", "waiting"))
