// Rank 0 sends some messages and then does nothing for ever; the others wait for one more. Whoever starts it ends it.
#include <mpi.h>
#include <unistd.h>

__attribute__((noinline)) void exchange(int rank, int ranks, int value) {
  if (rank == 0) {
    for (int to = 1; to < ranks; to++) MPI_Send(&value, 1, MPI_INT, to, 7, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int step = 0; step < 10; step++) exchange(rank, ranks, step);
  while (rank == 0) pause();
  exchange(rank, ranks, 10);
  MPI_Finalize();
  return 0;
}
