/* Barriers, each with another rank that comes late: nobody may leave before it has come. On several communicators, by
   both names, and between groups. Prints how many barriers each rank looked at, and how many it left early.
   The ranks of one host have one clock. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static long looked_at = 0, early = 0;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_turns(MPI_Comm comm) {
  static int turn = 0;
  return ++turn % 2 ? MPI_Barrier(comm) : PMPI_Barrier(comm);
}

/* `all`: the ranks of both groups, in whichever order. */
static void check(MPI_Comm comm, MPI_Comm all) {
  const struct timespec late = {0, 2000000};
  int rank, size;
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  for (int who = 0; who < size; ++who)
    for (int again = 0; again < 3; ++again) {
      double came, left, last;
      if (rank == who && again == 0) nanosleep(&late, NULL);
      came = now();
      const int error = by_turns(comm);
      left = now();
      MPI_Allreduce(&came, &last, 1, MPI_DOUBLE, MPI_MAX, all);
      ++looked_at;
      if (error != MPI_SUCCESS || left < last) ++early;
    }
}

int main(int argc, char** argv) {
  MPI_Comm part, reversed, between, both;
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  check(MPI_COMM_WORLD, MPI_COMM_WORLD);
  check(part, part);
  check(reversed, reversed);
  check(MPI_COMM_SELF, MPI_COMM_SELF);
  if (size > 1) {
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 5, &between);
    MPI_Intercomm_merge(between, rank % 2, &both);
    check(between, both);
    MPI_Comm_free(&between);
    MPI_Comm_free(&both);
  }
  printf("rank %d: %ld barriers, %ld left early\n", rank, looked_at, early);
  MPI_Comm_free(&part);
  MPI_Comm_free(&reversed);
  MPI_Finalize();
  return early != 0;
}
