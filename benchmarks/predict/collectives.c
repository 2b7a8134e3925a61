/* Ranks that sleep and then call one collective operation, in each step.

     collectives allreduce|alltoall|allgather BYTES STEPS MICROSECONDS

   BYTES: of a vector that is summed, or of a block. Prints the seconds that the steps took on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 5) MPI_Abort(MPI_COMM_WORLD, 2);
  const char* what = argv[1];
  const int count = atoi(argv[2]) / (int)sizeof(double), steps = atoi(argv[3]), pause_us = atoi(argv[4]);
  double *out = calloc((size_t)count * size, sizeof *out), *in = calloc((size_t)count * size, sizeof *in);
  for (int i = 0; i < count * size; ++i) out[i] = i;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin_s = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    usleep(pause_us);
    if (!strcmp(what, "allreduce"))
      MPI_Allreduce(out, in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(what, "alltoall"))
      MPI_Alltoall(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, MPI_COMM_WORLD);
    else
      MPI_Allgather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, MPI_COMM_WORLD);
  }
  if (!rank) printf("steps: %.6f s\n", MPI_Wtime() - begin_s);
  MPI_Finalize();
}
