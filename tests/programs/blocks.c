/* Steps, in each of which blocks of 4096 bytes are gathered, exchanged, also in place, gathered on all ranks, twice,
   and scattered, and in which numbers are added up from rank to rank and block by block; with barriers.  blocks STEPS
 */
#include <mpi.h>
#include <stdlib.h>

enum { length = 512 };

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int* lengths = malloc((size_t)size * sizeof(int));
  int* places = malloc((size_t)size * sizeof(int));
  for (int i = 0; i < size; ++i) {
    lengths[i] = length;
    places[i] = i * length;
  }
  double* from = calloc((size_t)size * length, sizeof(double));
  double* to = calloc((size_t)size * length, sizeof(double));
  for (int step = 0; step < atoi(argv[1]); ++step) {
    MPI_Gather(from, length, MPI_DOUBLE, to, length, MPI_DOUBLE, size - 1, MPI_COMM_WORLD);
    MPI_Alltoall(from, length, MPI_DOUBLE, to, length, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, length, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Allgather(from, length, MPI_DOUBLE, to, length, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Allgatherv(from, length, MPI_DOUBLE, to, lengths, places, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Scatter(from, length, MPI_DOUBLE, to, length, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Scan(from, to, length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(from, to, length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter(from, to, lengths, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Exscan(from, to, length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  free(lengths);
  free(places);
  free(from);
  free(to);
  MPI_Finalize();
  return 0;
}
