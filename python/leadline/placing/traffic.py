"""Bytes between all pairs of ranks, and the exchanges of ranks that keep most of them within a group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from leadline.figures.run import Run

Traffic = Sequence[Mapping[int, int]]  # by rank: bytes to and from each partner
Group = TypeVar("Group", bound=Hashable)


def traffic_of(run: Run, rank_of: Mapping[int, int]) -> Traffic:
    """Of the run's messages and one-sided transfers.   rank_of: by process."""
    traffic: list[dict[int, int]] = [defaultdict(int) for _ in rank_of]
    for edge in run.profile.edges():
        target = run.process_of(edge.source, edge.target)
        if target is None or target == edge.source:
            continue
        a, b = rank_of[edge.source], rank_of[target]
        moved = edge.bytes + edge.put + edge.got
        traffic[a][b] += moved
        traffic[b][a] += moved
    return traffic


def of_members(traffic: Traffic, members: Sequence[int]) -> Traffic:
    """The traffic among some ranks, which are numbered in this order."""
    number = {rank: at for at, rank in enumerate(members)}
    return [{number[b]: moved for b, moved in traffic[a].items() if b in number} for a in members]


def between(groups: Sequence[Hashable], traffic: Traffic) -> int:
    """Bytes between ranks of different groups.   groups: by rank."""
    return sum(moved for a, row in enumerate(traffic) for b, moved in row.items() if groups[a] != groups[b]) // 2


def exchanged(groups: Sequence[Group], traffic: Traffic) -> list[Group]:
    """The groups by rank, with as many ranks each, after the exchanges of two ranks that save most, one after another
    (Kernighan and Lin, An efficient heuristic procedure for partitioning graphs, 1970)."""
    found = list(groups)
    to: list[dict[Group, int]] = [defaultdict(int) for _ in found]  # by rank and group
    for a, row in enumerate(traffic):
        for b, moved in row.items():
            to[a][found[b]] += moved
    for _ in range(len(found)):
        best, pair = 0, None
        # Only who has more to do with another group than with its own gains by moving there.
        for a in range(len(found)):
            for group in list(to[a]):
                wish = to[a][group] - to[a][found[a]]
                if group == found[a] or wish <= 0:
                    continue
                for b in (rank for rank, own in enumerate(found) if own == group):
                    saved = wish + to[b][found[a]] - to[b][group] - 2 * traffic[a].get(b, 0)
                    if saved > best:
                        best, pair = saved, (a, b)
        if pair is None:
            break
        a, b = pair
        for rank, other in ((a, b), (b, a)):
            for partner, moved in traffic[rank].items():
                to[partner][found[rank]] -= moved
                to[partner][found[other]] += moved
        found[a], found[b] = found[b], found[a]
    return found
