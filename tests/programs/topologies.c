/* Communicators with virtual topologies: Cartesian ones, a duplicate, rows of one, graphs; and one made again with
 * other ends. */
#include <mpi.h>

static MPI_Comm cartesian(int dimensions, const int* sides, const int* closes) {
  MPI_Comm made;
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, sides, closes, 0, &made);
  if (made != MPI_COMM_NULL) MPI_Barrier(made);
  return made;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm plane = cartesian(2, (int[]){size / 2, 2}, (int[]){0, 1});
  MPI_Comm twin, row, graph, near, later;
  MPI_Comm_dup(plane, &twin);
  MPI_Barrier(twin);
  MPI_Request request;
  MPI_Comm_idup(plane, &later, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(later);
  MPI_Cart_sub(plane, (int[]){0, 1}, &row);
  MPI_Barrier(row);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int ends[64], edges[64];
  for (int i = 0; i < size; ++i) ends[i] = i + 1, edges[i] = (i + 1) % size;
  MPI_Graph_create(MPI_COMM_WORLD, size, ends, edges, 0, &graph);
  MPI_Barrier(graph);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &near);
  MPI_Barrier(near);
  /* Freed and made again: a communicator of its own where its ends are others. */
  for (int i = 0; i < 4; ++i) {
    MPI_Comm line = cartesian(1, &size, (int[]){i / 2});
    MPI_Comm_free(&line);
  }
  MPI_Finalize();
}
