// The smallest program worth recording: a ring of messages in a loop, and one reduction a step.
// Every rank, per step: MPI_Irecv, MPI_Send (1000 doubles), MPI_Wait, MPI_Allreduce.  smoke [STEPS]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  enum { length = 1000 };
  double out[length], in[length], sum = 0, total = 0;
  const int steps = argc > 1 ? atoi(argv[1]) : 100;
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < length; ++i) out[i] = rank + step + i;
    MPI_Request request;
    MPI_Irecv(in, length, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, &request);
    MPI_Send(out, length, MPI_DOUBLE, right, 7, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < length; ++i) sum += in[i];
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("total %.17g after %d steps on %d ranks\n", total, steps, size);
  MPI_Finalize();
  return 0;
}
