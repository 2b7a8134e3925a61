// A box of values on a grid of ranks. In each step, faces go to the neighbours: first to those there are, with
// nonblocking calls, then up and down along each dimension in turn, from and to MPI_PROC_NULL at the ends; and a sum
// goes to all.   box STEPS MICROSECONDS (of all ranks; they sleep instead of computing)
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { DIMENSIONS = 3, SIDE = 48 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size, extents[DIMENSIONS] = {0}, closes[DIMENSIONS] = {0}, face[DIMENSIONS];
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, DIMENSIONS, extents);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, DIMENSIONS, extents, closes, 0, &grid);
  const int steps = atoi(argv[1]), pause_us = (argc > 2 ? atoi(argv[2]) : 0) / size;
  for (int k = 0; k < DIMENSIONS; ++k) face[k] = SIDE * SIDE * SIDE * extents[k] / SIDE / size;
  double *out = calloc(SIDE * SIDE, sizeof *out), *in = calloc(6 * SIDE * SIDE, sizeof *in), sum = 0, all = 0;
  for (int step = 0; step < steps; ++step) {
    usleep(pause_us);
    MPI_Request requests[12];
    int made = 0;
    for (int side = 0; side < 6; ++side) {
      int below, above;
      MPI_Cart_shift(grid, side / 2, 1, &below, &above);
      const int other = side % 2 ? above : below;
      if (other == MPI_PROC_NULL) continue;
      MPI_Irecv(in + side * SIDE * SIDE, face[side / 2], MPI_DOUBLE, other, side ^ 1, grid, &requests[made++]);
      MPI_Isend(out, face[side / 2], MPI_DOUBLE, other, side, grid, &requests[made++]);
    }
    MPI_Waitall(made, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < DIMENSIONS; ++k) {
      int below, above;
      MPI_Cart_shift(grid, k, 1, &below, &above);
      MPI_Sendrecv(out, face[k], MPI_DOUBLE, above, 7, in, face[k], MPI_DOUBLE, below, 7, grid, MPI_STATUS_IGNORE);
      MPI_Sendrecv(out, face[k], MPI_DOUBLE, below, 8, in, face[k], MPI_DOUBLE, above, 8, grid, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, grid);
  }
  MPI_Comm_free(&grid);
  MPI_Finalize();
}
