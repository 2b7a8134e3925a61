"""Persistent collectives have bytes each time they are started, whatever was created at the same place before."""

from pathlib import Path

import pytest

from .building import Builder
from .libraries import Library, has_mpi4
from .reading import losses_of, open_processes, report_of
from .running import run_mpi

RANKS = 3
INT = 4
STARTS = 1 + 3  # alone, and in three lists
TRIANGLE = 1 + 2 + 3  # elements of the v-forms' counts


def elements(rank: int) -> list[tuple[int, int]]:
    """Elements that each request of tests/programs/persistent_collectives.c contributes and receives on the rank, by
    hand."""
    at_root = rank == 0
    both = sum(other + rank for other in range(RANKS))
    return [
        *[(n, n) for n in (1, 2, 3)],  # Allreduce_init, three sizes at one place
        (0, 0),
        (5, 0) if rank == 1 else (0, 5),
        (2, 2 * RANKS if at_root else 0),
        (rank + 1, TRIANGLE if at_root else 0),
        (2 * RANKS if at_root else 0, 2),
        (TRIANGLE if at_root else 0, rank + 1),
        (3, 3 * RANKS),
        (rank + 1, TRIANGLE),
        (4 * RANKS, 4 * RANKS),
        (6, 6 if rank == 2 else 0),
        (TRIANGLE, rank + 1),
        (7 * RANKS, 7),
        (8, 8),
        (9, 9),
        (both, both),
        (both, both),
        (3, 2 * 3),  # two neighbours
        (2, 2 * 2),
        (2 * 5, 2 * 5),
        (2 * 2, 2 * 2),
        (2 * 2, 2 * 2),
    ]


def test_every_start_has_the_bytes_of_its_request(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    if not has_mpi4(one_of_each_family):
        pytest.skip(f"{one_of_each_family.name} has MPI 3.1 only")
    program = builder.c(one_of_each_family, "persistent_collectives.c")
    run = tmp_path / "run"
    outcome = run_mpi(one_of_each_family, RANKS, [program], cwd=tmp_path, recorder=recorder, run_directory=run)
    assert outcome.lines == [f"rank {rank}: done" for rank in range(RANKS)], outcome.stderr
    report = report_of(run)
    assert not report["losses"]
    assert not [loss for process in open_processes(run).values() for loss in losses_of(process)]
    for rank, detail in enumerate(report["ranks_detail"]):
        contributed, received = (sum(column) for column in zip(*elements(rank), strict=True))
        assert detail["collective_bytes"] == STARTS * INT * contributed
        assert detail["collective_bytes_received"] == STARTS * INT * received
        # One by one, in the order they were created.
        process = open_processes(run)[rank]
        names = [process.functions[site.function].name for site in process.sites()]
        starts = [call for call in process.calls() if names[call.site] == "MPI_Start"]
        assert [(call.value // INT, call.count // INT) for call in starts] == elements(rank)
    functions = {entry["function"]: entry for entry in report["functions"]}
    assert functions["MPI_Startall"]["bytes"] == 3 * functions["MPI_Start"]["bytes"] > 0
    assert functions["MPI_Allreduce_init"]["bytes"] == 0
