/* Each algorithm of a table once, chosen by the number of elements:   shim_messages BROADCASTS REDUCES ALLREDUCES ROOT
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { first = 1000 };

int main(int argc, char** argv) {
  int rank, wrong = 0;
  static int from[2 * first], to[2 * first];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int root = atoi(argv[4]);
  for (int i = 0; i < atoi(argv[1]); ++i) {
    from[0] = rank == root ? i : -1;
    MPI_Bcast(from, first + i, MPI_INT, root, MPI_COMM_WORLD);
    wrong += from[0] != i;
  }
  for (int i = 0; i < atoi(argv[2]); ++i) {
    MPI_Reduce(from, to, first + i, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
  }
  for (int i = 0; i < atoi(argv[3]); ++i) MPI_Allreduce(from, to, first + i, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d: %d wrong\n", rank, wrong);
  MPI_Finalize();
  return wrong;
}
