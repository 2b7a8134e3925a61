"""A barrier is called redundant only beside messages or collectives that synchronise the ranks already, and if it does
not order what different ranks do with a file."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.errors import LeadlineError
from leadline.mpi import find as find_library

from .programs import HEAD, Program
from .run import report_of

BARRIER = "MPI_Barrier(comm);"
SUM = "MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, comm);"
WRITE = """
static void put(const char* name) {
  FILE* f = fopen(name, "w");
  fprintf(f, "%g\\n", out[0]);
  fclose(f);
}
static void get(const char* name) {
  FILE* f = fopen(name, "r");
  if (!f) return;
  if (fread(in, 1, 1, f) != 1) in[0] = 0;
  fclose(f);
}
"""
LOG, OWN = 'put("log.txt");', 'put(rank ? rank > 1 ? "2.txt" : "1.txt" : "0.txt");'
READ = 'if (rank == 1) get("log.txt");'
RING = (
    "MPI_Sendrecv(out, 9, MPI_DOUBLE, (rank + 1) % ranks, 0,"
    " in, 9, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, comm, 0);"
)
# What the steps do, and whether their barrier is redundant.
STEPS = {
    "alone": (BARRIER, False),
    "beside a sum": (SUM + BARRIER, True),
    "rank 0 writes, far from the barrier": (SUM + BARRIER + SUM + f"if (rank == 0) {LOG}", True),
    "rank 0 writes at times, far from it": (SUM + BARRIER + SUM + f"if (rank == 0 && step % 5 == 0) {LOG}", True),
    "rank 0 writes on both sides, only messages": (f"if (rank == 0) {LOG}" + BARRIER + RING, True),
    "each rank writes a file of its own": (OWN + BARRIER + OWN + RING, True),
    "rank 0 writes, rank 1 reads": (f"if (rank == 0) {LOG}" + BARRIER + READ + SUM, False),
    "rank 0 writes, a sum, rank 1 reads": (f"if (rank == 0) {LOG}" + SUM + BARRIER + READ + SUM, True),
    "rank 0 writes, rank 1 reads, only messages": (f"if (rank == 0) {LOG}" + BARRIER + RING + READ, False),
    "rank 1 reads before rank 0 writes again": (SUM + READ + BARRIER + f"if (rank == 0) {LOG}", False),
    "one of two barriers": (f"if (rank == 0) {LOG}" + BARRIER + "work(1);" + BARRIER + READ + SUM, False),
    "all read a file that nobody writes": ('get("input.dat");' + BARRIER + 'get("input.dat");' + SUM, True),
}


IN_BOTH_FAMILIES = ("rank 0 writes, far from the barrier", "rank 0 writes, rank 1 reads")


@pytest.mark.parametrize(
    ("family", "case"),
    [*(("openmpi", case) for case in STEPS), *(("mpich", case) for case in IN_BOTH_FAMILIES)],
)
def test_a_barrier_is_redundant_unless_it_orders_files(family: str, case: str, tmp_path: Path) -> None:
    try:
        library = find_library(family)
    except LeadlineError:
        pytest.skip(f"{family} from PyPI is not installed")
    steps, redundant = STEPS[case]
    text = (
        HEAD
        + WRITE
        + "int main(int argc, char** argv) { MPI_Init(&argc, &argv); comm = MPI_COMM_WORLD;"
        + "MPI_Comm_rank(comm, &rank); MPI_Comm_size(comm, &ranks);"
        + f"for (int step = 0; step < 30; ++step) {{ work(1); {steps} }}"
        + "MPI_Finalize(); }\n"
    )
    found = report_of(Program(0, 3, 30, "-O1", (), text), library, tmp_path)["patterns"]
    assert ("redundant_barrier" in {pattern["pattern"] for pattern in found}) == redundant
