"""The first thing to run: a loop of messages over every library, recorded and not."""

from pathlib import Path

from .building import Builder
from .libraries import Library
from .reading import functions_of, open_run
from .running import run_mpi

STEPS = 100


def test_a_loop_of_messages_runs_without_the_recorder(library: Library, builder: Builder, tmp_path: Path) -> None:
    outcome = run_mpi(library, 2, [builder.c(library, "smoke.c"), str(STEPS)], cwd=tmp_path)
    assert outcome.returncode == 0, outcome.stderr
    assert f"after {STEPS} steps on 2 ranks" in outcome.stdout


def test_a_loop_of_messages_is_counted_exactly(
    library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = [builder.c(library, "smoke.c"), str(STEPS)]
    plain = run_mpi(library, 2, program, cwd=tmp_path)
    recorded = run_mpi(library, 2, program, cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run")
    assert (recorded.returncode, recorded.stdout) == (0, plain.stdout), recorded.stderr
    run = open_run(tmp_path / "run")
    assert sorted(process.rank for process in run.processes) == [0, 1]
    for process in run.processes:
        assert functions_of(process) == {
            "MPI_Init": 1,
            "MPI_Comm_rank": 1,
            "MPI_Comm_size": 1,
            "MPI_Irecv": STEPS,
            "MPI_Send": STEPS,
            "MPI_Wait": STEPS,
            "MPI_Allreduce": STEPS,
            "MPI_Finalize": 1,
        }
