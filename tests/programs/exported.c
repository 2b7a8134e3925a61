// Traffic that every export is checked against.
//   exported STEPS
// First a routine that calls itself three deep broadcasts 40 bytes from rank 1. In each step rank r sends
// (r + 1) * 100 bytes to the next rank of the ring, which receives them from anybody; rank 0 sends 64 bytes to rank 1
// on another communicator; and all reduce a double. Rank 0 gathers an int of each in the end.
#include <mpi.h>
#include <stdlib.h>

static char out[4096], in[4096];

__attribute__((noinline)) static void descend(int left) {
  if (left > 1) {
    descend(left - 1);
  } else {
    MPI_Bcast(out, 40, MPI_CHAR, 1, MPI_COMM_WORLD);
  }
  out[left]++;
}

__attribute__((noinline)) static void exchange(int rank, int size) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Irecv(in, sizeof in, MPI_CHAR, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, (rank + 1) * 100, MPI_CHAR, (rank + 1) % size, 7, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
}

__attribute__((noinline)) static void step(int rank, int size, MPI_Comm other) {
  exchange(rank, size);
  if (rank == 0) MPI_Send(out, 64, MPI_CHAR, 1, 9, other);
  if (rank == 1) MPI_Recv(in, 64, MPI_CHAR, 0, 9, other, MPI_STATUS_IGNORE);
  double one = 1, sum;
  MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  descend(3);
  for (int i = 0; i < atoi(argv[1]); ++i) step(rank, size, other);
  MPI_Gather(&rank, 1, MPI_INT, in, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Comm_free(&other);
  MPI_Finalize();
  return 0;
}
