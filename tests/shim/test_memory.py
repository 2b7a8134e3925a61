"""Collectives through memory that the ranks of a node share: thousands drawn at random, ranks that others need
meanwhile, ranks that are killed, and systems that have no such memory."""

from pathlib import Path

import pytest
from recorder.building import Builder

from .tables import report
from .test_blocks import known, start

PROGRAM = "shim_memory.c"
OPERATIONS = ("bcast", "reduce", "allreduce", "alltoall", "allgather", "gather", "scatter", "barrier")
TABLE = "".join(f"{operation} 2 64 0 1000000000 shared 0 0\n" for operation in OPERATIONS)
UNABLE = "the ranks of a node cannot share memory"


def reasons(directory: Path, ranks: int) -> set[tuple[str, str]]:
    lines = (line for rank in range(ranks) for line in report(directory / "reports", rank)[0])
    return {(line.algorithm, line.why) for line in lines}


@pytest.mark.parametrize(
    ("name", "ranks", "calls"),
    [
        ("openmpi", 2, 4000),
        ("openmpi", 5, 1000),
        ("mpich", 2, 4000),
        ("mpich", 3, 400),
        ("openmpi", 9, 300),
        ("openmpi", 16, 100),
        ("intel", 2, 2000),
        ("debian-openmpi", 4, 500),
    ],
)
@pytest.mark.ci("intel", "debian-openmpi", "9", "16")
def test_calls_drawn_at_random_are_right(
    name: str, ranks: int, calls: int, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    words = ("random", str(calls))
    outcome = start(PROGRAM, known(name), ranks, TABLE, *words, builder=builder, shim=shim, directory=tmp_path)
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
    assert sorted(outcome.lines) == sorted(f"rank {rank}: {calls} calls, 0 wrong" for rank in range(ranks))
    assert reasons(tmp_path, ranks) == {("shared", "")}


@pytest.mark.parametrize(("name", "ranks"), [("openmpi", 3), ("mpich", 2), ("intel", 2)])
@pytest.mark.ci("intel")
def test_a_rank_that_waits_helps_with_long_messages(
    name: str, ranks: int, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    """A message that another rank sends before it comes to the collective ends only if this rank's library goes on."""
    outcome = start(PROGRAM, known(name), ranks, TABLE, "help", builder=builder, shim=shim, directory=tmp_path)
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
    assert sorted(outcome.lines) == [f"rank {rank}: 24 calls, 0 wrong" for rank in range(ranks)]
    assert ("shared", "") in reasons(tmp_path, ranks)


@pytest.mark.parametrize(("name", "ranks"), [("openmpi", 3), ("mpich", 2)])
def test_a_killed_rank_does_no_harm_to_the_next_run(
    name: str, ranks: int, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    for turn in ("killed", "random"):
        directory = tmp_path / turn
        directory.mkdir()
        words = (turn, "200")
        outcome = start(PROGRAM, known(name), ranks, TABLE, *words, builder=builder, shim=shim, directory=directory)
        assert (outcome.returncode == 0) == (turn == "random"), outcome.stdout + outcome.stderr
    assert sorted(outcome.lines) == [f"rank {rank}: 200 calls, 0 wrong" for rank in range(ranks)]


def test_the_library_serves_where_memory_cannot_be_shared(builder: Builder, shim: Path, tmp_path: Path) -> None:
    """Rank 0 may not make long files. MPICH itself would, for the communicator of the shim."""
    ranks = 3
    outcome = start(PROGRAM, known("openmpi"), ranks, TABLE, "limited", builder=builder, shim=shim, directory=tmp_path)
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
    assert sorted(outcome.lines) == [f"rank {rank}: 20 calls, 0 wrong" for rank in range(ranks)]
    assert reasons(tmp_path, ranks) == {("native", UNABLE)}
