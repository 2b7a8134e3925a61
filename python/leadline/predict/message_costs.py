"""What a recorded run's own messages cost within a host, from when they were sent and received (message_times.hpp).

A call that receives ends when its last message has arrived and been handled: max(begin, left + L) + c. Here `left` is
when that message left its sender (the end of a call that only sends; the begin of one that receives as well), L the
latency, and c what the call costs. Calls that came late, after their messages had arrived, took c; calls that waited
ended L + c after their message had left. Of c, a part is the call's own (looking for messages), a part the messages':
several that are waited for together share the first. The call with the least c bounds the part that is shared.

A message that waits for its receiver keeps both ranks busy from when both are in their calls until it is there.

The ranks' clocks may differ by a little: if both of two ranks wait for messages from each other, these are taken to be
equally fast.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from leadline import _core
from leadline.figures.run import Run
from leadline.statistics.median import median, quantile

MOST_MESSAGES = 60_000  # that are read
FEWEST = 6  # calls from which a cost is taken
EARLY_NS = 2_000.0  # a call that began so long before its message was sent waited, whatever the clocks
LATE_NS = 1_500.0  # one that began so long after it had left did not
LATENCY_NS = 200.0  # assumed where calls either all waited or none did
BUSY_PER_BYTE_NS = 0.075  # assumed of messages that wait for their receiver, where there were none
CHEAPEST_SEND_NS = 100.0  # assumed where nothing was sent at once
EXCHANGES = ("MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Isendrecv", "MPI_Isendrecv_replace")
BLOCKING = ("MPI_Send", "MPI_Rsend", "MPI_Ssend")
ALL_COPIED = 2**63 - 1
Site = tuple[int, int]  # number of the call site, and bits of the received bytes; any_size: of all


@dataclass(frozen=True)
class Interval:
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class ReceiveCost:
    """ns of a call. own: of its messages."""

    whole: float
    own: float


@dataclass
class RecordedCosts:
    """Times in ns. receives: of calls; busy: of messages that wait for their receiver, by bytes.   sends,
    received: by bytes, those that wait for nobody; of `received`, calls with one message.   assumed: what the messages
    do not say; names of figures."""

    latency: Interval
    send: float
    call: float
    receives: dict[Site, ReceiveCost] = field(default_factory=dict)
    busy: dict[int, float] = field(default_factory=dict)
    sends: dict[int, float] = field(default_factory=dict)
    received: dict[int, float] = field(default_factory=dict)
    messages: int = 0
    assumed: set[str] = field(default_factory=set)


class _Arrival(NamedTuple):
    """A call that receives, with the last of its messages to leave."""

    site: int
    function: str
    begin: float
    end: float
    left: float
    n_bytes: int
    messages: int
    both_in: float  # from when both ranks are in their calls

    @property
    def ns(self) -> float:
        return self.end - self.begin


def messages_of(run: Run, *, within_host: bool = True) -> list[_core.MessageTime]:
    """Of the whole run, or of some iterations; none if their times were not kept."""
    times = _core.MessageTimes(run.profile, MOST_MESSAGES)
    for index in range(len(run.processes)):
        if not times.wanted:
            return []
        times.add(run.trace(index), index)
    return [each for each in times.find() if each.within_host == within_host]


def costs_of(
    messages: Sequence[_core.MessageTime], functions: Sequence[str], eager_bytes: int, copied_bytes: int = ALL_COPIED
) -> RecordedCosts | None:
    """functions: by call site. None: there are too few messages."""
    if len(messages) < FEWEST:
        return None
    offsets = _offsets(messages)
    short: dict[Site, list[_Arrival]] = defaultdict(list)
    long: list[tuple[int, _Arrival]] = []
    for arrival, n_long, longest in _arrivals(messages, functions, offsets, eager_bytes, copied_bytes):
        if not n_long:
            short[arrival.site, arrival.n_bytes.bit_length()].append(arrival)
        elif n_long == arrival.messages:
            long.append((longest, arrival))
    sends = _sends(messages, functions, eager_bytes, copied_bytes)
    return _fitted(short, long, sends, eager_bytes, len(messages))


def _offsets(messages: Sequence[_core.MessageTime]) -> dict[tuple[int, int], float]:
    """By sender and receiver: how much the receiver's clock is ahead, half of what the two directions differ by."""
    early: dict[tuple[int, int], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    every: dict[tuple[int, int], list[float]] = defaultdict(list)
    for each in messages:
        ends = each.sender, each.receiver
        ns = each.done_end_ns - each.send_begin_ns
        every[ends].append(ns)
        if each.done_begin_ns < each.send_begin_ns - EARLY_NS:
            early[ends][each.bytes].append(ns)
    found = {}
    for one, other in every:
        back = other, one
        if back not in every:
            continue
        sizes = [n for n, ns in early[one, other].items() if min(len(ns), len(early[back].get(n, ()))) >= FEWEST]
        if sizes:
            difference = median(median(early[one, other][n]) - median(early[back][n]) for n in sizes)
        elif min(*every[one, other], *every[back]) < 0:  # received before it was sent
            there, here = (quantile(sorted(every[ends]), 0.05) for ends in ((one, other), back))
            difference = there - here
        else:
            continue
        found[one, other] = difference / 2
    return found


def _arrivals(
    messages: Sequence[_core.MessageTime],
    functions: Sequence[str],
    offsets: dict[tuple[int, int], float],
    eager_bytes: int,
    copied_bytes: int,
) -> Iterator[tuple[_Arrival, int, int]]:
    """By call, in the order of their first messages; with how many of its messages are longer than eager_bytes, and the
    bytes of the longest. Times on the receiver's clock.

    One pass, which reads each figure of a message once: there are tens of thousands."""
    exchanges = [name in EXCHANGES for name in functions]
    blocking = [name in BLOCKING for name in functions]
    # By call: left, both_in, bytes, count, long ones, bytes of the longest; and its first message.
    calls: dict[int, tuple[list[float], list[int], _core.MessageTime]] = {}
    for each in messages:
        n_bytes, begin, site = each.bytes, each.send_begin_ns, each.send_site
        ahead = offsets.get((each.sender, each.receiver), 0.0)
        in_place = exchanges[site] or (n_bytes > copied_bytes and blocking[site])
        left = (begin if in_place else each.send_end_ns) + ahead
        both_in = max(max(begin, each.sent_begin_ns) + ahead, each.posted_ns)
        known = calls.get(each.done)
        if known is None:
            calls[each.done] = [left, both_in], [n_bytes, 1, int(n_bytes > eager_bytes), n_bytes], each
            continue
        times, counts, _ = known
        times[0] = max(times[0], left)
        times[1] = max(times[1], both_in)
        counts[0] += n_bytes
        counts[1] += 1
        counts[2] += n_bytes > eager_bytes
        counts[3] = max(counts[3], n_bytes)
    for (left, both_in), (n_bytes, count, n_long, longest), first in calls.values():
        site, begin = first.done_site, first.done_begin_ns
        arrival = _Arrival(site, functions[site], begin, first.done_end_ns, left, n_bytes, count, max(both_in, begin))
        yield arrival, n_long, longest


def _waits_in_place(each: _core.MessageTime, functions: Sequence[str], copied_bytes: int) -> bool:
    """Whether the send is a call that waits until its receiver is in one."""
    return each.bytes > copied_bytes and functions[each.send_site] in BLOCKING


def _sends(
    messages: Sequence[_core.MessageTime], functions: Sequence[str], eager_bytes: int, copied_bytes: int
) -> dict[int, float]:
    """By bytes: the median time of calls that only send, and do not wait."""
    found: dict[int, list[float]] = defaultdict(list)
    for each in messages:
        if each.bytes > eager_bytes or _waits_in_place(each, functions, copied_bytes):
            continue
        if functions[each.send_site] not in EXCHANGES:
            found[each.bytes].append(each.send_end_ns - each.send_begin_ns)
    return {n_bytes: median(ns) for n_bytes, ns in found.items() if len(ns) >= FEWEST}


@dataclass(frozen=True)
class _Seen:
    """Medians of one kind of call. late: of those that came late; None: too few.   waited: from when the message had
    left to the end; None: too few waited.   quarter: what a quarter of all do not exceed, so that none costs more."""

    arrivals: int
    late: float | None
    waited: float | None
    quarter: float
    count: int
    n_bytes: int


def _seen(arrivals: Sequence[_Arrival]) -> _Seen:
    late = [each.ns for each in arrivals if each.begin > each.left + LATE_NS]
    waited = [each for each in arrivals if each.begin < each.left]
    quarter = quantile(sorted(each.ns for each in arrivals), 0.25)
    return _Seen(
        len(arrivals),
        min(median(late), quarter) if len(late) >= FEWEST else None,
        median(each.end - each.left for each in waited) if len(waited) >= FEWEST else None,
        quarter,
        max(each.messages for each in arrivals),
        round(median(each.n_bytes for each in arrivals)),
    )


def _all_seen(short: dict[Site, list[_Arrival]]) -> dict[Site, _Seen]:
    """Where too few came late at a site, those of all sites with the same function and about as many bytes count."""
    alike: dict[tuple[str, int, int], list[_Arrival]] = defaultdict(list)
    for (_, bits), arrivals in short.items():
        for each in arrivals:
            alike[each.function, bits, each.messages].append(each)
    of_alike = functools.cache(lambda kind: _seen(alike[kind]).late)
    found = {}
    for site, arrivals in short.items():
        if len(arrivals) < FEWEST:
            continue
        seen = _seen(arrivals)
        if seen.late is None:
            seen = replace(seen, late=of_alike((arrivals[0].function, site[1], arrivals[0].messages)))
        found[site] = seen
    return found


def _fitted(
    short: dict[Site, list[_Arrival]],
    long: Sequence[tuple[int, _Arrival]],
    sends: dict[int, float],
    eager_bytes: int,
    messages: int,
) -> RecordedCosts:
    seen = _all_seen(short)
    latency, assumed = _latency(seen.values())
    cheapest = min(sends.values(), default=CHEAPEST_SEND_NS)
    if not sends:
        assumed.add("send")
    wholes = {}
    for site, each in seen.items():
        cost = each.late
        if cost is None and each.waited is not None:
            cost = min(max(each.waited - latency.value, cheapest), each.quarter)
        wholes[site] = each.quarter if cost is None else cost
    # Of a call with the least cost, what a message costs besides the call is taken to be as much as a send costs.
    least = min((wholes[site] - (each.count - 1) * cheapest for site, each in seen.items()), default=cheapest)
    call = max(least - cheapest, 0.0)
    found = RecordedCosts(latency, cheapest, call, messages=messages, assumed=assumed)
    for site, whole in wholes.items():
        found.receives[site] = ReceiveCost(whole, max(whole - call, 0.0))
        if seen[site].count == 1:
            found.received[seen[site].n_bytes] = min(whole, found.received.get(seen[site].n_bytes, whole))
    found.sends = dict(sends)
    _add_sites(found, seen)
    _add_long(found, long, eager_bytes)
    return found


def _latency(seen: Iterable[_Seen]) -> tuple[Interval, set[str]]:
    known = sorted((each.waited - each.late, each.arrivals) for each in seen if each.late is not None and each.waited)
    if not known:
        return Interval(LATENCY_NS, 0.0, 2 * LATENCY_NS), {"latency"}
    low, value, high = (max(ns, 0.0) for ns in (known[0][0], _weighted_median(known), known[-1][0]))
    return Interval(value, low, high), set()


def _weighted_median(known: Sequence[tuple[float, int]]) -> float:
    half, before = sum(weight for _, weight in known) / 2, 0
    for value, weight in known:
        before += weight
        if before >= half:
            return value
    return known[-1][0]


def _add_sites(found: RecordedCosts, seen: dict[Site, _Seen]) -> None:
    """What holds for all sizes at a site, for calls whose bytes are not known: if all cost about as much."""
    at: dict[int, list[Site]] = defaultdict(list)
    for site in seen:
        at[site[0]].append(site)
    for number, sites in at.items():
        costs = [found.receives[site] for site in sites]
        if max(each.whole for each in costs) <= 1.25 * min(each.whole for each in costs):
            weights = [seen[site].arrivals for site in sites]
            whole = sum(w * each.whole for w, each in zip(weights, costs, strict=True)) / sum(weights)
            own = sum(w * each.own for w, each in zip(weights, costs, strict=True)) / sum(weights)
            found.receives[number, _core.MessageCosts.any_size] = ReceiveCost(whole, own)


def _add_long(found: RecordedCosts, long: Sequence[tuple[int, _Arrival]], eager_bytes: int) -> None:
    by_size: dict[int, list[float]] = defaultdict(list)
    sites: dict[Site, int] = defaultdict(int)
    for n_bytes, each in long:
        by_size[n_bytes].append((each.end - each.both_in) * n_bytes / max(each.n_bytes, 1))
        sites[each.site, each.n_bytes.bit_length()] += 1
        sites[each.site, _core.MessageCosts.any_size] += 1
    fixed = 2 * found.send + found.call + 3 * found.latency.value
    found.busy = {n: max(median(ns) - fixed, 0.0) for n, ns in by_size.items() if len(ns) >= FEWEST}
    for site in sites:
        found.receives.setdefault(site, ReceiveCost(found.call + found.send, found.send))
    if not found.busy:
        found.busy = {eager_bytes + 1: BUSY_PER_BYTE_NS * (eager_bytes + 1)}
        found.assumed.add("busy")


def replayed_costs(costs: RecordedCosts, shared: float, longer: float) -> _core.MessageCosts:
    """shared: the part of what calls may share that they do share when several become one.   longer: what the time of
    messages that wait for their receiver is multiplied with."""
    made = _core.MessageCosts()
    made.call_ns = costs.call * shared
    made.long_send_ns = costs.send
    made.long_receive_ns = costs.call + costs.send
    for (site, bits), each in costs.receives.items():
        made.set_receive(site, bits, each.whole, each.whole - (each.whole - each.own) * shared)
    for n_bytes, ns in costs.busy.items():
        made.set_long_busy(n_bytes, ns * longer)
    return made
