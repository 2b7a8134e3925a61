/* Ranks in a ring that all do the same: STEPS steps of exchanges with both neighbours, and a sum.
   With a second argument, rank 5 makes one more call at the end. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, size, out[4] = {0}, in[4], sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int step = 0; step < atoi(argv[1]); ++step) {
    for (int field = 0; field < 3; ++field) {
      MPI_Sendrecv(out, 4, MPI_INT, right, field, in, 4, MPI_INT, left, field, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Sendrecv(out, 4, MPI_INT, left, field, in, 4, MPI_INT, right, field, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(out, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  if (argc > 2 && rank == 5)
    MPI_Sendrecv(out, 1, MPI_INT, 0, 0, in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
