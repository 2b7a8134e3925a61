"""A place for each rank: those that exchange most share most of the hardware.

The places are chosen first, then the ranks are given to them level by level: hosts, sockets, memories, caches, cores.
On each level ranks are exchanged between groups as long as that saves bytes between them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from leadline.placing.topology import Core
from leadline.placing.traffic import Traffic, exchanged, of_members

Levels = tuple[int, ...]  # that which it is in, from the socket down to the core


@dataclass(frozen=True)
class Place:
    """Of a rank on a host: CPUs as the system numbers them, and cores and hardware threads as hwloc does."""

    cpus: tuple[int, ...]
    cores: tuple[int, ...]
    threads: tuple[int, ...]
    whole: bool  # whether it has all threads of its cores
    levels: Levels


def levels_of(core: Core) -> Levels:
    return core.socket, core.memory, core.complex, core.number


def by_cores(cores: Sequence[Core], width: int) -> list[Place]:
    """Places of so many neighbouring cores each."""
    groups = [cores[at : at + width] for at in range(0, len(cores) - width + 1, width)]
    return [
        Place(
            tuple(sorted(cpu for core in group for cpu in core.threads)),
            tuple(core.number for core in group),
            tuple(number for core in group for number in core.thread_numbers),
            True,
            levels_of(group[0]),
        )
        for group in groups
    ]


def by_threads(cores: Sequence[Core]) -> list[Place]:
    """A place for each hardware thread: neighbours share a core."""
    return [
        Place((cpu,), (core.number,), (number,), len(core.threads) == 1, levels_of(core))
        for core in cores
        for cpu, number in zip(core.threads, core.thread_numbers, strict=True)
    ]


def spread(places: Sequence[Place], count: int, level: int = 0) -> list[Place]:
    """So many of the places, as evenly over sockets, memories, caches and cores as they can be."""
    if count >= len(places) or level >= len(places[0].levels):
        return list(places[:count])
    groups: dict[int, list[Place]] = defaultdict(list)
    for place in places:
        groups[place.levels[level]].append(place)
    taken = dict.fromkeys(groups, 0)
    for _ in range(count):
        # The one of which the smallest part is taken, the first of equals.
        least = min(
            (name for name in groups if taken[name] < len(groups[name])), key=lambda n: taken[n] / len(groups[n])
        )
        taken[least] += 1
    return [place for name, group in groups.items() for place in spread(group, taken[name], level + 1) if taken[name]]


def mapped(
    host_of: Sequence[str], places: Mapping[str, Sequence[Place]], traffic: Traffic, *, hosts_too: bool = True
) -> list[tuple[str, Place]]:
    """Host and place by rank.

    host_of: where ranks are now; each host keeps as many.   places: by host, as many as it has ranks.
    hosts_too: whether ranks may go to another host.
    """
    hosts = exchanged(host_of, traffic) if hosts_too else list(host_of)
    found: dict[int, tuple[str, Place]] = {}
    for host in dict.fromkeys(hosts):
        members = [rank for rank, its in enumerate(hosts) if its == host]
        for rank, place in _given(members, list(places[host]), traffic, 0).items():
            found[rank] = host, place
    return [found[rank] for rank in range(len(hosts))]


def _given(members: Sequence[int], places: list[Place], traffic: Traffic, level: int) -> dict[int, Place]:
    if level == len(places[0].levels):
        return dict(zip(members, places, strict=True))
    places.sort(key=_first_of_group(places, level))
    groups = [place.levels[level] for place in places]
    if len(set(groups)) > 1:
        groups = _in_order(groups, exchanged(groups, of_members(traffic, members)))
    found: dict[int, Place] = {}
    for group in dict.fromkeys(groups):
        inside = [rank for rank, its in zip(members, groups, strict=True) if its == group]
        found |= _given(inside, [place for place in places if place.levels[level] == group], traffic, level + 1)
    return found


def _in_order(before: Sequence[int], groups: Sequence[int]) -> list[int]:
    """With groups of equal size renamed such that the lower ranks are in those that came first before."""
    size = {group: before.count(group) for group in dict.fromkeys(before)}
    names = {n: iter([group for group in size if size[group] == n]) for n in size.values()}
    renamed: dict[int, int] = {}
    for group in groups:
        if group not in renamed:
            renamed[group] = next(names[size[group]])
    return [renamed[group] for group in groups]


def _first_of_group(places: Sequence[Place], level: int) -> Callable[[Place], int]:
    first: dict[int, int] = {}
    for place in places:
        first[place.levels[level]] = min(first.get(place.levels[level], place.cpus[0]), place.cpus[0])
    return lambda place: first[place.levels[level]]
