"""What only some iterations do is read in one of them, although others do more."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.errors import LeadlineError
from leadline.mpi import find as find_library

from .programs import HEAD, Program
from .run import report_of

# In every fourth step, each rank sends three messages in a row to its neighbours; in the others it makes more calls.
TEXT = (
    HEAD
    + """
__attribute__((noinline)) static void rare(void) {
  MPI_Request all[12];
  int made = 0;
  for (int to = rank - 1; to <= rank + 1; to += 2) {
    if (to < 0 || to >= ranks) continue;
    for (int k = 0; k < 3; ++k) MPI_Irecv(in + 50 * made, 50, MPI_DOUBLE, to, k, comm, &all[made]), ++made;
    for (int k = 0; k < 3; ++k) MPI_Isend(out + 50 * k, 50, MPI_DOUBLE, to, k, comm, &all[made]), ++made;
  }
  MPI_Waitall(made, all, MPI_STATUSES_IGNORE);
}
__attribute__((noinline)) static void usual(void) {
  int partner = rank ^ 1;
  double sum;
  MPI_Sendrecv(out, 70, MPI_DOUBLE, partner, 7, in, 70, MPI_DOUBLE, partner, 7, comm, MPI_STATUS_IGNORE);
  work(200);
  MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  work(200);
  MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_MAX, comm);
  work(200);
  MPI_Bcast(out, 1, MPI_DOUBLE, 0, comm);
  work(200);
  MPI_Barrier(comm);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &ranks);
  for (int step = 0; step < 24; ++step) {
    if (step % 4 == 3) rare(); else usual();
    work(100);
  }
  MPI_Finalize();
}
"""
)


@pytest.mark.parametrize("family", ["openmpi", "mpich"])
def test_messages_of_every_fourth_step_are_seen_in_one_of_these(family: str, tmp_path: Path) -> None:
    try:
        library = find_library(family)
    except LeadlineError:
        pytest.skip(f"{family} from PyPI is not installed")
    report = report_of(Program(0, 4, 24, "-O0", (), TEXT), library, tmp_path)
    rare = [p for p in report["patterns"] if p["routines"][-1] == "rare" and p["pattern"] == "packable_messages"]
    assert [(p["evidence"]["together"], p["evidence"]["assumes"]) for p in rare] == [(3, "nothing")]
