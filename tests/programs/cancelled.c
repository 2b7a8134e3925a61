/* Each of 40 steps posts a receive that nothing comes for, and cancels it; then one message comes by the same way. */
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, got = 0, flag = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request request;
  MPI_Status status;
  for (int step = 0; step < 40; ++step) {
    MPI_Irecv(&got, 1, MPI_INT, before, 7, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    int cancelled;
    MPI_Test_cancelled(&status, &cancelled);
    flag &= cancelled;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Sendrecv(&rank, 1, MPI_INT, next, 7, &got, 1, MPI_INT, before, 7, MPI_COMM_WORLD, &status);
  MPI_Finalize();
  return !flag || got != before;
}
