/* cut_short STEPS LAST: a warm-up of 6 iterations, then STEPS steps of five reductions; but in step LAST, after two of
   its reductions, the program dies. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>

static double in[4], out[4];

static __attribute__((noinline)) void warm_up(int n) {
  for (int i = 0; i < n; ++i) { /* warm-up */
    MPI_Bcast(in, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static __attribute__((noinline)) void solve(int n, int dies_after) {
  for (int i = 0; i < n; ++i) { /* solve */
    if (i == dies_after) raise(SIGTERM);
    MPI_Allreduce(in, out, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = atoi(argv[1]), last = atoi(argv[2]);
  warm_up(6);
  for (int step = 1; step <= steps; ++step) { /* steps */
    MPI_Bcast(in, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    solve(5, step == last ? 2 : -1);
  }
  MPI_Finalize();
  return 0;
}
