/* timed_work: arithmetic of WORK thousand rounds (an environment variable) in each of 20 steps, with a sum after each;
   prints what the slowest rank took, without the start and the end of MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* asked = getenv("WORK");
  const long rounds = 1000 * (asked != NULL ? atol(asked) : 200);
  double x = 0.5, sum = 0, most = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  double took = -MPI_Wtime();
  for (int step = 0; step < 20; ++step) {
    for (long i = 0; i < rounds; ++i) x = x * 0.999999 + 1e-7;
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  took += MPI_Wtime();
  MPI_Reduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("took %.6f s (%.3g)\n", most, sum);
  MPI_Finalize();
  return 0;
}
