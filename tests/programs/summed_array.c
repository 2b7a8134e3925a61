// Sums an array number by number, after a broadcast, in each step.   summed_array STEPS
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  double own[6] = {0}, sums[6] = {0};
  MPI_Init(&argc, &argv);
  for (int step = 0; step < atoi(argv[1]); ++step) {
    usleep(200);
    MPI_Bcast(own, 6, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    usleep(200);
    for (int i = 0; i < 6; ++i) MPI_Allreduce(own + i, sums + i, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return sums[0] < 0;
}
