// entered [middle]: 50 steps in a loop that control may also enter in the middle of a step.
#include <mpi.h>

int main(int argc, char** argv) {
  int n = 0, one = 1, sum = 0;
  MPI_Init(&argc, &argv);
  if (argc > 1) goto middle;
  for (;;) {
    MPI_Barrier(MPI_COMM_WORLD);
  middle:
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (++n == 50) break;
  }
  MPI_Finalize();
}
