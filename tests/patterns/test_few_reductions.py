"""Reductions that are not a solver's, and those that are too few to bound a loop."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.errors import LeadlineError
from leadline.mpi import find as find_library

from .programs import HEAD, Program, main_of
from .run import report_of

SWAP = """
    MPI_Sendrecv(out, 60, MPI_DOUBLE, right, {tag}, in, 60, MPI_DOUBLE, left, {tag}, comm, MPI_STATUS_IGNORE);"""
SUM = "\n    MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, comm);\n    work(300);"
STEPS = 20


def patterns_of(family: str, directory: Path, steps: str) -> set[str]:
    try:
        library = find_library(family)
    except LeadlineError:
        pytest.skip(f"{family} from PyPI is not installed")
    around = "  int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;\n  (void)left, (void)right;\n"
    loop = f"  for (int step = 0; step < {STEPS}; ++step) {{{steps}\n  }}"
    report = report_of(Program(0, 3, STEPS, "-O1", (), HEAD + main_of(around + loop)), library, directory)
    return {pattern["pattern"] for pattern in report["patterns"]}


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_two_exchanges_with_a_sum_after_each_are_no_solver(family: str, tmp_path: Path) -> None:
    found = patterns_of(family, tmp_path, SWAP.format(tag=1) + SUM + SWAP.format(tag=2) + SUM)
    assert "separate_reductions" not in found


def test_one_exchange_and_then_two_sums_may_be_a_solver(tmp_path: Path) -> None:
    assert "separate_reductions" in patterns_of("openmpi", tmp_path, SWAP.format(tag=1) + SUM + SUM)


LATE = "\n    if (rank == 0) rest(20000);\n    MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, comm);"


@pytest.mark.parametrize("every", [1, 10])
def test_sums_that_are_rare_do_not_bound_a_loop(every: int, tmp_path: Path) -> None:
    """However long ranks wait in the few that there are."""
    steps = f"\n    MPI_Bcast(out, 1, MPI_DOUBLE, 0, comm);\n    if (step % {every} == 0) {{{LATE}\n    }}"
    assert ("allreduce_bound" in patterns_of("openmpi", tmp_path, steps)) == (every == 1)
