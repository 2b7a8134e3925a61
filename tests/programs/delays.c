// Delays on known ranks, for three of them; each rank prints what it waited: for the send to begin that it received,
// and at most in the Waitall, the Barrier, the Allreduce, the fence, and the calls around an epoch.
//   delays STEPS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void work(int ms) {
  const struct timespec t = {0, ms * 1000000L};
  nanosleep(&t, NULL);
}

// Rank 0 works, 1 waits for 0, and 2 waits for 1.
__attribute__((noinline)) static double chain(int rank) {
  double began = 0, waited = 0;
  if (rank == 0) work(30);
  if (rank > 0) {
    const double entered = now();
    MPI_Recv(&began, 1, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    waited = began > entered ? began - entered : 0;
  }
  began = now();
  if (rank < 2) MPI_Send(&began, 1, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
  return waited;
}

// Rank 2 works before it sends; 0 has posted its receive.
__attribute__((noinline)) static double exchange(int rank) {
  double to_send = 0, received = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Irecv(&received, 1, MPI_DOUBLE, 2, 2, MPI_COMM_WORLD, &request);
  if (rank == 2) {
    work(20);
    MPI_Isend(&to_send, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &request);
  }
  const double entered = now();
  MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  return now() - entered;
}

// Rank 1 is not in the exchange, and begins 20 ms before the others.
__attribute__((noinline)) static double meet(int rank) {
  if (rank == 1) work(50);
  const double entered = now();
  MPI_Barrier(MPI_COMM_WORLD);
  return now() - entered;
}

__attribute__((noinline)) static double sum(int rank) {
  if (rank == 2) work(25);
  int all;
  const double entered = now();
  MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return now() - entered;
}

// Rank 1 works before it puts.
__attribute__((noinline)) static double put_and_fence(int rank, MPI_Win window) {
  if (rank == 1) work(30);
  const double value = rank;
  MPI_Put(&value, 1, MPI_DOUBLE, (rank + 1) % 3, 0, 1, MPI_DOUBLE, window);
  const double entered = now();
  MPI_Win_fence(0, window);
  return now() - entered;
}

// Rank 0 puts at 2, which exposes its window after 25 ms. The library chooses which call of rank 0 waits for that.
__attribute__((noinline)) static double late_exposure(int rank, MPI_Win window, MPI_Group other) {
  double entered = now();
  if (rank == 0) {
    const double value = 1;
    MPI_Win_start(other, 0, window);
    MPI_Put(&value, 1, MPI_DOUBLE, 2, 0, 1, MPI_DOUBLE, window);
    MPI_Win_complete(window);
  }
  if (rank == 2) {
    work(25);
    MPI_Win_post(other, 0, window);
    entered = now();
    MPI_Win_wait(window);
  }
  return now() - entered;
}

// Rank 0 works between its put and the end of its epoch.
__attribute__((noinline)) static double long_epoch(int rank, MPI_Win window, MPI_Group other) {
  double entered = now();
  if (rank == 0) {
    const double value = 1;
    MPI_Win_start(other, 0, window);
    MPI_Put(&value, 1, MPI_DOUBLE, 2, 0, 1, MPI_DOUBLE, window);
    work(30);
    MPI_Win_complete(window);
  }
  if (rank == 2) {
    MPI_Win_post(other, 0, window);
    entered = now();
    MPI_Win_wait(window);
  }
  return now() - entered;
}

int main(int argc, char** argv) {
  int rank;
  double waited[7] = {0}, memory[2] = {0};
  MPI_Win window, exposed;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int steps = argc > 1 ? atoi(argv[1]) : 8;
  MPI_Win_create(&memory[0], sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_create(&memory[1], sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &exposed);
  MPI_Win_fence(0, window);
  MPI_Group all, other;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, (const int[]){rank == 0 ? 2 : 0}, &other);
  for (int i = 0; i < steps; ++i) {
    waited[0] += chain(rank);
    waited[1] += exchange(rank);
    waited[2] += meet(rank);
    waited[3] += sum(rank);
    waited[4] += put_and_fence(rank, window);
    waited[5] += late_exposure(rank, exposed, other);
    waited[6] += long_epoch(rank, exposed, other);
  }
  // In one piece: pieces of different ranks may mix.
  const double* w = waited;
  printf("%d %.9f %.9f %.9f %.9f %.9f %.9f %.9f\n", rank, w[0], w[1], w[2], w[3], w[4], w[5], w[6]);
  MPI_Win_free(&exposed);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
