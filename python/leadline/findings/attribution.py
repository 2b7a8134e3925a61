"""Gives each second lost to one cause, so that costs add up to no more than what is lost, and groups findings that are
about the same calls.

The order: tasks that are too small, uneven computation, sends that serialise ranks, other waiting, then what the calls
take besides (transfer, and the cost of the calls themselves). Rules about files share their time among themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from leadline.figures.content import Content
from leadline.figures.run import Site
from leadline.figures.time_parts import LOST
from leadline.findings.finding import Finding
from leadline.findings.ordering import by_cost, is_timed

IN_TURN = ("wandering", "changing", "noise")  # kinds of uneven computation
OF_UNEVEN = ("share", "lost_per_step_s", "lost_s")  # its evidence that follows from its cost
SERIAL = ("serialised_order", "unexpected_large")
LEAST_SHARE = 0.01  # of the time: as in the thresholds of these findings
LEAST_TIMED = 0.02  # of what only times show: as of uneven computation, since less may be the machine
HIDING = "no_overlap"  # of what is left when calls have been combined or replaced
EXPLAINED = 0.5  # of a wait: if uneven computation leaves less, the wait is a part of that
SAME_CALLS = 0.5  # of the time of a finding's calls: then it belongs to the other one that is about them


class _Seconds:
    """What has not been given to a cause yet: waits, one by one; and the rest of each call site's time."""

    def __init__(self, content: Content) -> None:
        self.waits = content.waits.entries
        self.waiting = [wait.seconds for wait in self.waits]
        self.time = {each.site: each.time_s for each in content.sites if each.site is not None}
        self.rest = dict(self.time)
        self.computed = sum(rank.computation_s for rank in content.ranks)
        for wait in self.waits:
            if wait.site in self.rest:
                self.rest[wait.site] = max(self.rest[wait.site] - wait.seconds, 0.0)

    def take_waits(self, wanted: float, part: Callable[[int], float]) -> float:
        """part: of the wait with this number, how much of it the cause may take at most (0 to 1)."""
        available = [left * part(number) for number, left in enumerate(self.waiting)]
        taken = min(wanted, sum(available))
        if taken > 0:
            factor = taken / sum(available)
            self.waiting = [left - factor * own for left, own in zip(self.waiting, available, strict=True)]
        return taken

    def take_rest(self, wanted: float, sites: Iterable[Site]) -> float:
        own = {site: self.rest.get(site, 0.0) for site in sites}
        taken = min(wanted, sum(own.values()))
        if taken > 0:
            factor = taken / sum(own.values())
            for site, left in own.items():
                self.rest[site] = left * (1 - factor)
        return taken

    def take_overlap(self, wanted: float, sites: Iterable[Site]) -> float:
        """Communication hides behind computation, of which each second hides one."""
        taken = self.take_rest(min(wanted, self.computed), sites)
        self.computed -= taken
        return taken


Saying = Callable[[Finding], str]


def attributed(content: Content, found: Sequence[Finding], say: Saying) -> list[Finding]:
    """The findings with the costs that remain to each.   say: makes the text of a finding whose cost has changed."""
    seconds = _Seconds(content)
    given: dict[int, Finding] = {}
    for finding in found:
        if finding.id == "small-tasks":  # workers and their manager wait for each other all the time
            seconds.take_waits(finding.cost_s or 0.0, lambda number: 1.0)
    uneven = _uneven_and_synchronous(content, found, seconds, given, say)
    serial = [each for each in found if each.evidence.get("pattern") in SERIAL]
    patterns = by_cost(_by_cost(found, "pattern"), 0.0)  # as _grouped() orders them: the leader has the cost
    fewer = [each for each in patterns if each.evidence.get("pattern") != HIDING]
    for finding in [*serial, *_by_cost(found, "waiting"), *fewer, *patterns]:
        if id(finding) not in given and finding.cost_s and "file" not in finding.evidence:
            given[id(finding)] = _with_its_cost(content, finding, seconds, uneven, say)
    grouped = _grouped([(each, given.get(id(each), each)) for each in _with_files_once(content, found)], seconds)
    limited = _within_what_is_lost(content, grouped, say)
    decided = [id(was) not in given or _costs(content, each) for was, each in zip(found, limited, strict=True)]
    return _without_those_that_cost_little(limited, decided)


def _without_those_that_cost_little(found: Sequence[Finding], cost_enough: Sequence[bool]) -> list[Finding]:
    """What is part of one that is left out stands for itself if it costs enough."""
    left_out = {each.text for each, enough in zip(found, cost_enough, strict=True) if not enough and not each.part_of}
    return [
        replace(each, part_of="") if each.part_of in left_out else each
        for each, enough in zip(found, cost_enough, strict=True)
        if enough or (each.part_of and each.part_of not in left_out)
    ]


def _within_what_is_lost(content: Content, found: Sequence[Finding], say: Saying) -> list[Finding]:
    """Causes are found by different ways, and each has its error: the cheapest get what others leave of the time in
    which nothing is computed."""
    left_s = sum(part.time_s for part in content.time_parts if part.kind in LOST)
    limited: dict[int, Finding] = {}
    for finding in sorted(found, key=lambda each: (each.id != "imbalance", -(each.cost_s or 0.0))):
        cost = finding.cost_s or 0.0
        if finding.id != "imbalance":  # whose cost is measured in computation
            cost = min(cost, max(left_s, 0.0))
        left_s -= cost
        if finding.cost_s is not None and cost < finding.cost_s:
            changed = replace(finding, cost_s=cost)
            if "lost_share" in finding.evidence and not finding.part_of:
                changed = replace(changed, evidence={**finding.evidence, "lost_share": content.share(cost)})
                changed = replace(changed, text=say(changed))
            limited[id(finding)] = changed
    return [limited.get(id(each), each) for each in found]


def _uneven_and_synchronous(
    content: Content, found: Sequence[Finding], seconds: _Seconds, given: dict[int, Finding], say: Saying
) -> Finding | None:
    """Gives them their costs. The finding of uneven computation, as it is then.

    Ranks that are slow in turn need not wait for each other in each iteration, unless sends make them; one that is
    always slow makes them wait in any case.
    """
    uneven = next((each for each in found if each.id == "imbalance" and _lost_s(each)), None)
    synchronous = [each for each in found if each.id == "synchronous-sends" and each.cost_s]
    in_turn = uneven is not None and uneven.evidence.get("kind") in IN_TURN
    wanted = _lost_s(uneven) if uneven is not None else 0.0
    if not in_turn:
        seconds.take_waits(wanted, lambda number: _computed(seconds.waits[number].causes))
    for finding in synchronous:
        given[id(finding)] = _with_its_cost(content, finding, seconds, None, say)
    if uneven is None or not in_turn:
        return uneven
    cost = seconds.take_waits(wanted, lambda number: _computed(seconds.waits[number].causes))
    if not synchronous or cost >= wanted or uneven.cost_s is None:
        return uneven
    part = cost / wanted
    evidence = {**uneven.evidence, **{name: uneven.evidence[name] * part for name in OF_UNEVEN}}
    changed = replace(uneven, cost_s=cost, evidence=evidence)
    given[id(uneven)] = replace(changed, text=say(changed))
    return given[id(uneven)]


def _with_files_once(content: Content, found: Sequence[Finding]) -> list[Finding]:
    """Patterns of files that cost more together than all file calls take are about the same calls: the dearest one
    has them, and the others are parts of it; unless other ranks wait, whose time is beyond that of the calls."""
    of_files = [each for each in _by_cost(found, "pattern") if "file" in each.evidence]
    left_s, changed = content.io_s + content.mpi_io_s, {}
    for finding in of_files:
        own_s = min(finding.cost_s or 0.0, finding.evidence["time_s"])  # the rest are waits of others
        if own_s > left_s and finding is not of_files[0]:
            waited_s = finding.evidence.get("waited_s") or 0.0
            leader = of_files[0].text if content.share(waited_s) < LEAST_SHARE else ""
            changed[id(finding)] = replace(finding, cost_s=max(left_s, waited_s), part_of=leader)
        left_s = max(left_s - own_s, 0.0)
    return [changed.get(id(each), each) for each in found]


def _lost_s(uneven: Finding) -> float:
    """What waits it explains, whether the program or the machine is the reason."""
    return float(uneven.cost_s or uneven.evidence.get("lost_s") or 0.0)


def _costs(content: Content, finding: Finding) -> bool:
    """Whether other findings leave enough of its cost that it is worth saying."""
    return content.share(finding.cost_s or 0.0) >= (LEAST_TIMED if is_timed(finding) else LEAST_SHARE)


def _by_cost(found: Sequence[Finding], rule: str) -> list[Finding]:
    own = [each for each in found if each.id == rule and each.cost_s is not None]
    return sorted(own, key=lambda each: -(each.cost_s or 0.0))


def _computed(causes: Iterable[tuple[str, str, Site | None, float]]) -> float:
    return min(sum(share for _, doing, _, share in causes if doing == "computation"), 1.0)


def _with_its_cost(
    content: Content, finding: Finding, seconds: _Seconds, uneven: Finding | None, say: Saying
) -> Finding:
    wanted, sites = finding.cost_s or 0.0, dict.fromkeys(finding.about.sites)  # in their order: sums stay equal
    if finding.id == "waiting":
        where = finding.evidence["function"], finding.evidence["routine"]
        cost = seconds.take_waits(wanted, lambda number: float(_at(seconds.waits[number].site) == where))
        if uneven is not None and finding.evidence["cause"] == "computation" and cost < EXPLAINED * wanted:
            return replace(finding, cost_s=None, part_of=uneven.text)
    elif finding.id == "synchronous-sends" or (finding.evidence["pattern"] in SERIAL and content.waits.found):
        cost = seconds.take_waits(wanted, lambda number: float(seconds.waits[number].site in sites))
    elif finding.evidence["pattern"] == HIDING:
        cost = seconds.take_overlap(wanted, sites)
    else:
        cost = seconds.take_rest(wanted, sites)
    share = content.share(cost)
    changed = replace(finding, cost_s=cost, evidence={**finding.evidence, "lost_share": share})
    return replace(changed, text=say(changed))


def _at(site: Site | None) -> tuple[str, str] | None:
    return (site.function, site.routine) if site is not None else None


def _grouped(found: list[tuple[Finding, Finding]], seconds: _Seconds) -> list[Finding]:
    """Patterns of the same calls are one entry: the first in their order leads. Takes each finding as it was and as it
    is now; a part says what it could save alone."""
    leaders: list[Finding] = []
    parts: dict[int, Finding] = {}
    about_calls = {
        id(now): (was, now)
        for was, now in found
        if now.id == "pattern" and "file" not in now.evidence and now.about.sites and not now.part_of
    }
    for was, now in (about_calls[id(each)] for each in by_cost([now for _, now in about_calls.values()], 0.0)):
        own = {site: seconds.time.get(site, 0.0) for site in now.about.sites}
        leader = next((each for each in leaders if _same_calls(own, set(each.about.sites))), None)
        if leader is None:
            leaders.append(now)
        else:
            parts[id(now)] = replace(was, cost_s=now.cost_s, part_of=leader.text)
    return [parts.get(id(now), now) for _, now in found]


def _same_calls(own: dict[Site, float], others: set[Site]) -> bool:
    common = sum(time for site, time in own.items() if site in others)
    return common > SAME_CALLS * sum(own.values())
