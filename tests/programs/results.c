// Two ranks that swap numbers in each step, and more of them, and their results, in the last one.   results STEPS
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { points = 100, results = 3 };
static double out[2 * points], in[2 * points];

__attribute__((noinline)) static void swap(int n, int other) {
  MPI_Sendrecv(out, n, MPI_DOUBLE, other, 1, in, n, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void write_results(int rank) {
  for (int result = 0; result < results; ++result) {
    if (rank) MPI_Send(out, points, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    if (!rank) MPI_Recv(in, points, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double sum = 0, all = 0;
  const int steps = atoi(argv[1]);
  for (int step = 0; step < steps; ++step) {
    const int last = step == steps - 1;
    usleep(200);
    swap(last ? 2 * points : points, 1 - rank);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (last) write_results(rank);
  }
  MPI_Finalize();
}
