"""Additions of newer versions of MPI, and processes that start others: recorded if the library has them."""

from collections import Counter
from pathlib import Path

import pytest

from .building import Builder
from .libraries import Library, has_large_counts, has_mpi4
from .reading import calls_by_rank, losses_of, open_processes
from .running import run_mpi

ROUNDS = 3
ONCE = {"Init": 1, "Comm_rank": 1, "Comm_size": 1, "Finalize": 1}
PERSISTENT_COLLECTIVES = {"Allreduce_init": 1, "Barrier_init": 1, "Start": 5, "Wait": 5, "Request_free": 2}
PARTITIONED = {
    "Psend_init": 1,
    "Precv_init": 1,
    "Startall": 2,
    "Pready": 6,
    "Parrived": 2,
    "Waitall": 2,
    "Request_free": 2,
}
EXCHANGES = {"Isendrecv": 3, "Wait": 3}
LARGE_COUNTS = {"Irecv": 5, "Send": 5, "Wait": 5, "Allreduce": 1}


def test_persistent_partitioned_and_large_calls_are_counted(
    library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    if not has_mpi4(library):
        pytest.skip(f"{library.name} has MPI 3.1 only")
    large = has_large_counts(library)
    program = builder.c(library, "mpi4.c", *(["-DLARGE_COUNTS"] if large else []))
    plain = run_mpi(library, 2, [program, str(ROUNDS)], cwd=tmp_path)
    run = tmp_path / "run"
    recorded = run_mpi(library, 2, [program, str(ROUNDS)], cwd=tmp_path, recorder=recorder, run_directory=run)
    assert (recorded.returncode, recorded.lines) == (0, plain.lines), recorded.stderr
    table = Counter(ONCE)
    for _ in range(ROUNDS):
        for section in (PERSISTENT_COLLECTIVES, PARTITIONED, EXCHANGES, LARGE_COUNTS if large else {}):
            table.update(section)
    expected = {f"MPI_{name}": calls for name, calls in table.items()}
    assert calls_by_rank(run) == {0: expected, 1: expected}
    for process in open_processes(run).values():
        assert losses_of(process) == []


def test_a_program_that_starts_others_is_recorded(
    library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    if library.name == "debian-mpich":
        pytest.skip("Debian's MPICH 4.0 cannot spawn under its own mpiexec")
    program = builder.c(library, "spawned.c")
    plain = run_mpi(library, 1, [program], cwd=tmp_path)
    run = tmp_path / "run"
    recorded = run_mpi(library, 1, [program], cwd=tmp_path, recorder=recorder, run_directory=run)
    assert (recorded.returncode, recorded.lines) == (0, plain.lines), recorded.stderr
    assert recorded.lines == ["child 0 answered 20", "child 1 answered 22"]
    traces = [path for path in run.glob("rank-*.trace") if path.name.startswith("rank-00000")]
    counts = next(counts for counts in map(counts_of_parent, traces) if counts)
    assert (counts["MPI_Send"], counts["MPI_Recv"], counts["MPI_Comm_disconnect"]) == (2, 2, 1)


def counts_of_parent(trace: Path) -> dict[str, int]:
    """Calls per function of the process that spawned; empty for another."""
    from .reading import core, functions_of

    counts = functions_of(core().open_process(str(trace)))
    return counts if "MPI_Comm_spawn" in counts else {}
