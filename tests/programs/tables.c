// One of each kind of row that a test of the tables needs: messages, one-sided operations, collectives, files, a loop.
//   tables STEPS DIRECTORY
// In each step rank r sends (r + 1) * 100 bytes to the next rank of the ring, puts 24 bytes there, takes part in an
// allreduce of a double, and writes 16 bytes to DIRECTORY/out-r.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char out[4096], in[4096];
static double memory[3], put[3];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int steps = atoi(argv[1]), next = (rank + 1) % size, before = (rank + size - 1) % size;
  int file = -1;
  if (steps > 0) {
    char name[4096];
    snprintf(name, sizeof name, "%s/out-%d", argv[2], rank);
    file = open(name, O_CREAT | O_WRONLY, 0600);
  }
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int i = 0; i < steps; ++i) {
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(in, sizeof in, MPI_CHAR, before, 7, MPI_COMM_WORLD, &request);
    MPI_Send(out, (rank + 1) * 100, MPI_CHAR, next, 7, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);  // what was received is known with a status only
    MPI_Win_fence(0, win);
    MPI_Put(put, 3, MPI_DOUBLE, next, 0, 3, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    double one = 1, sum;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (write(file, out, 16) != 16) MPI_Abort(MPI_COMM_WORLD, 3);
  }
  if (file >= 0) close(file);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
