"""Which processes are one MPI_COMM_WORLD: no rank is counted that never was."""

import random
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.figures.worlds import SPAWNED_SOMEWHERE, labels_of, worlds_of

from .handmade import a_process

NS = 10**9


def spawned(rank: int, size: int, world: int, start: float, host: str = "node0") -> Any:
    return a_process(rank, size, world=world, host=host, start_unix_ns=int((100 + start) * NS))


def sizes_of(processes: list[Any]) -> list[tuple[int, list[int]]]:
    return [(world.size, sorted(world.processes)) for world in worlds_of(processes)]


def test_worlds_of_one_identity_and_different_sizes_are_different() -> None:
    first = [spawned(rank, 2, SPAWNED_SOMEWHERE, 1) for rank in range(2)]
    second = [spawned(rank, 3, SPAWNED_SOMEWHERE, 1) for rank in range(3)]
    mixed = [second[0], first[1], second[2], first[0], second[1]]
    assert sorted(sizes_of(mixed)) == [(2, [0, 1]), (3, [0, 1, 2])]


def test_worlds_of_one_size_and_different_identities_are_different() -> None:
    processes = [spawned(0, 2, 8, 1), spawned(1, 2, 10, 1), spawned(0, 2, 10, 2), spawned(1, 2, 8, 3)]
    worlds = worlds_of(processes)
    assert [world.processes for world in worlds] == [{0: 0, 1: 3}, {1: 1, 0: 2}]
    assert labels_of(worlds, processes) == ["0.0", "1.1", "1.0", "0.1"]


def test_parts_on_several_hosts_are_brought_together() -> None:
    """Identities that hold on one host: two worlds of four on two hosts, and one of two on the first."""
    processes = [
        *(spawned(rank, 4, 21, 1, "a") for rank in (0, 1)),
        *(spawned(rank, 4, 21, 1.1, "b") for rank in (2, 3)),
        *(spawned(rank, 2, 23, 1.2, "a") for rank in (0, 1)),
        *(spawned(rank, 4, 25, 2, "a") for rank in (0, 1)),
        *(spawned(rank, 4, 27, 2.1, "b") for rank in (2, 3)),
    ]
    assert sizes_of(processes) == [(4, [0, 1, 2, 3]), (2, [0, 1]), (4, [0, 1, 2, 3])]


def test_ranks_that_left_no_trace_are_missing_from_their_own_world() -> None:
    processes = [spawned(0, 2, 8, 1), *(spawned(rank, 3, 10, 1) for rank in (0, 2))]
    assert sizes_of(processes) == [(2, [0]), (3, [0, 2])]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("known", [True, False])
def test_the_ranks_of_a_run_are_those_that_were_started(seed: int, known: bool) -> None:
    random_number = random.Random(seed)
    processes = []
    sizes = [random_number.randint(1, 5) for _ in range(random_number.randint(1, 12))]
    for number, size in enumerate(sizes):
        world = 2 * number if known else SPAWNED_SOMEWHERE
        processes += [spawned(rank, size, world, random_number.random()) for rank in range(size)]
    random_number.shuffle(processes)
    found = sizes_of(processes)
    assert sorted(size for size, _ in found) == sorted(sizes)
    assert all(ranks == list(range(size)) for size, ranks in found)
