// Strips of a field that sleep instead of computing: halo exchanges with one or two neighbours, a sum, and every fourth
// step a collection on rank 0. Its steps' time on rank 0 is printed.   strips STEPS VALUES MICROSECONDS (of all ranks)
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int steps = atoi(argv[1]), values = atoi(argv[2]) / size, pause_us = atoi(argv[3]) / size;
  double *out = calloc(2 * values, sizeof *out), *in = calloc(2 * values, sizeof *in), sum = 0, all = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin_s = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    usleep(pause_us);
    MPI_Request requests[4];
    int made = 0;
    for (int side = 0; side < 2; ++side) {
      const int other = rank + 2 * side - 1;
      if (other < 0 || other >= size) continue;
      MPI_Irecv(in + side * values, values, MPI_DOUBLE, other, 1 - side, MPI_COMM_WORLD, &requests[made++]);
      MPI_Isend(out + side * values, values, MPI_DOUBLE, other, side, MPI_COMM_WORLD, &requests[made++]);
    }
    MPI_Waitall(made, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (step % 4 == 3) {
      for (int other = 1; rank == 0 && other < size; ++other)
        MPI_Recv(in, values, MPI_DOUBLE, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank) MPI_Send(out, values, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
    }
  }
  if (!rank) printf("steps: %.6f s\n", MPI_Wtime() - begin_s);
  MPI_Finalize();
}
