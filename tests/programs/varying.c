// Two ranks whose messages differ from step to step: number, sizes, tags, and which end sends first. varying STEPS
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned state = 12345;  // the same on both ranks
static int below(int n) {
  state = state * 1664525 + 1013904223;
  return (int)((state >> 16) % (unsigned)n);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static double out[4000], in[4000];
  for (int step = 0; step < atoi(argv[1]); ++step) {
    usleep(100);
    const int n = 1 + below(3000), tag = below(500), root = below(2), how = below(3);
    MPI_Request requests[2];
    if (how == 0) {  // a message, whose receiver does not know where from
      if (rank == root) MPI_Send(out, n, MPI_DOUBLE, 1 - root, tag, MPI_COMM_WORLD);
      if (rank != root) MPI_Recv(in, 4000, MPI_DOUBLE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (how == 1) {
      MPI_Irecv(in, n, MPI_DOUBLE, 1 - rank, tag, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(out, n, MPI_DOUBLE, 1 - rank, tag, MPI_COMM_WORLD, &requests[1]);
      if (root) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      for (int i = 0; !root && i < 2; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    } else {
      MPI_Irecv(in, 4000, MPI_DOUBLE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(out, 1000 + n, MPI_DOUBLE, 1 - rank, tag, MPI_COMM_WORLD, &requests[1]);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    MPI_Bcast(out, n, MPI_DOUBLE, root, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
