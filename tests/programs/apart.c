/* Each rank has work of its own: the first takes in what the others send, and these send 30 times their rank. */
#include <mpi.h>

static volatile double sum;

static void work(int n) {
  for (int k = 0; k < n * 1000; ++k) sum += k;
}

static void master(int messages) {
  for (int n = 0; n < messages; ++n) {
    double value;
    MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void worker(int messages) {
  for (int n = 0; n < messages; ++n) {
    double value = n;
    work(200);
    MPI_Ssend(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0) {
    master(30 * ranks * (ranks - 1) / 2);
  } else {
    worker(30 * rank);
  }
  MPI_Finalize();
  return 0;
}
