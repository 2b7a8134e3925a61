"""Which processes of a run are one MPI_COMM_WORLD: the program that was launched, and each that it spawned.

The processes of one world agree on its size, and no two of them have one rank. The traces have more (`world`, see
docs/reference/format.md): an identity that holds on all hosts, one that holds on one host only, or just that the
process was spawned. Even where facts are unknown, a rank counts only if a process confirms it by the size of its world.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from leadline import _core

SPAWNED_SOMEWHERE = 1


@dataclass
class World:
    """One MPI_COMM_WORLD. host: of the processes of an identity that holds on one host only, else ""."""

    identity: int
    size: int
    processes: dict[int, int] = field(default_factory=dict)  # rank -> index of the process
    host: str = ""

    def takes(self, rank: int) -> bool:
        return rank not in self.processes

    @property
    def is_complete(self) -> bool:
        return len(self.processes) >= self.size


def worlds_of(processes: Sequence[_core.ProcessSummary]) -> list[World]:
    """The worlds of the run, first started first.

    Two processes with one rank in one world (two jobs recorded into one directory) are put into worlds of their own.
    """
    worlds: list[World] = []
    for index in _by_start(processes):
        process = processes[index]
        if process.rank < 0:
            continue
        wanted = World(process.world, process.world_size, host=process.host if _is_of_one_host(process.world) else "")
        world = next((w for w in worlds if _are_one(w, wanted) and w.takes(process.rank)), None)
        if world is None:
            world = wanted
            worlds.append(world)
        world.size = max(world.size, wanted.size)
        world.processes[process.rank] = index
    return _over_hosts(worlds)


def _by_start(processes: Sequence[_core.ProcessSummary]) -> list[int]:
    return sorted(range(len(processes)), key=lambda i: (processes[i].start_unix_ns, processes[i].rank))


def _is_of_one_host(identity: int) -> bool:
    return identity % 2 == 1 and identity != SPAWNED_SOMEWHERE


def _are_one(world: World, other: World) -> bool:
    sizes = {world.size, other.size} - {0, -1}  # not known of a process that had no MPI_COMM_WORLD
    return (world.identity, world.host) == (other.identity, other.host) and len(sizes) <= 1


def _over_hosts(worlds: Iterable[World]) -> list[World]:
    """Brings together what several hosts have of a world: parts of one size without a rank in common, in their order.

    Where several spawns of one size ran at once on several hosts, a part may come to another one of them.
    """
    found: list[World] = []
    for world in worlds:
        parts = [w for w in found if world.host and w.host and w.size == world.size and not w.is_complete]
        whole = next(
            (w for w in parts if w.host != world.host and not w.processes.keys() & world.processes.keys()), None
        )
        if whole is None or world.is_complete:
            found.append(world)
        else:
            whole.processes.update(world.processes)
    return found


def labels_of(worlds: Sequence[World], processes: Sequence[_core.ProcessSummary]) -> list[str]:
    """A name for each process: its rank, preceded by its world's number if there are several worlds ("1.3")."""
    where = {index: number for number, world in enumerate(worlds) for index in world.processes.values()}
    labels = []
    for index, process in enumerate(processes):
        if index not in where:
            labels.append(f"pid {process.pid}")
        elif len(worlds) == 1:
            labels.append(str(process.rank))
        else:
            labels.append(f"{where[index]}.{process.rank}")
    # Unknown ranks of one process id on several hosts.
    repeated = {label for label, count in Counter(labels).items() if count > 1}
    return [f"{label} on {processes[i].host}" if label in repeated else label for i, label in enumerate(labels)]


def display_order(worlds: Sequence[World], count: int) -> list[int]:
    """The indices of the processes, by world and rank; those without a world come last."""
    ordered = [world.processes[rank] for world in worlds for rank in sorted(world.processes)]
    return ordered + sorted(set(range(count)) - set(ordered))
