"""Communicators that are freed and made again keep their numbers in the trace."""

from pathlib import Path

from .building import Builder
from .libraries import Library
from .reading import open_processes
from .running import run_mpi


def test_communicators_made_again_in_rounds_take_no_new_numbers(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program, run = builder.c(one_of_each_family, "kept_communicators.c"), tmp_path / "run"
    outcome = run_mpi(one_of_each_family, 1, [program], cwd=tmp_path, recorder=recorder, run_directory=run)
    assert outcome.returncode == 0, outcome.stderr
    (process,) = open_processes(run).values()
    # None, MPI_COMM_WORLD, MPI_COMM_SELF, and the duplicates of one round.
    assert len(process.communicators) == 3 + 600
