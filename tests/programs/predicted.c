// Two ranks that exchange messages of two sizes, reduce, and send one to whoever receives it.   predicted STEPS
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static double out[20000], in[20000];
  double sum = 0, all = 0;
  for (int step = 0; step < atoi(argv[1]); ++step) {
    MPI_Request requests[4];
    for (int i = 0; i < 2; ++i) {
      const int n = i ? 20000 : 10;
      MPI_Irecv(in, n, MPI_DOUBLE, 1 - rank, i, MPI_COMM_WORLD, &requests[i]);
      MPI_Isend(out, n, MPI_DOUBLE, 1 - rank, i, MPI_COMM_WORLD, &requests[2 + i]);
    }
    usleep(200 + 200 * rank);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank) {
      MPI_Send(out, 5, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
    } else {
      MPI_Recv(in, 5, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  MPI_Finalize();
}
