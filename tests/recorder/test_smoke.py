"""The first thing to run: a loop of messages over every library, recorded and not."""

from pathlib import Path

from .building import Builder
from .libraries import Library
from .reading import calls_by_rank, report_of
from .running import run_mpi

STEPS = 100


def test_a_loop_of_messages_is_counted_exactly(
    every_library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library = every_library
    program = [builder.c(library, "smoke.c"), str(STEPS)]
    run = tmp_path / "run"
    plain = run_mpi(library, 2, program, cwd=tmp_path)
    assert plain.returncode == 0, plain.stderr
    assert f"after {STEPS} steps on 2 ranks" in plain.stdout
    recorded = run_mpi(library, 2, program, cwd=tmp_path, recorder=recorder, run_directory=run)
    assert (recorded.returncode, recorded.stdout) == (0, plain.stdout), recorded.stderr
    assert "leadline" not in recorded.stderr
    expected = {
        "MPI_Init": 1,
        "MPI_Comm_rank": 1,
        "MPI_Comm_size": 1,
        "MPI_Irecv": STEPS,
        "MPI_Send": STEPS,
        "MPI_Wait": STEPS,
        "MPI_Allreduce": STEPS,
        "MPI_Finalize": 1,
    }
    assert calls_by_rank(run) == {0: expected, 1: expected}
    report = report_of(run)
    assert (report["ranks"], report["complete"], report["losses"]) == (2, True, [])
    rows = {row["function"]: row for row in report["functions"]}
    assert {name: row["calls"] for name, row in rows.items()} == {name: 2 * calls for name, calls in expected.items()}
    assert (rows["MPI_Send"]["messages"], rows["MPI_Send"]["bytes"]) == (2 * STEPS, 2 * STEPS * 8000)
    assert (rows["MPI_Send"]["calls_min"], rows["MPI_Send"]["calls_max"]) == (STEPS, STEPS)
