/* A ring of ranks, around the example of docs/build-in/segments.md. */
/* LIBRARY */
#include <stdio.h>
#include <stdlib.h>

enum { tracers = 3, nx = 4, nz = 3, ny = 2, plane = nz * ny };

static double c[tracers][(nx + 2) * plane];

static double value(int rank, int tracer, int cell) { return 1e6 * rank + 1e3 * tracer + cell; }

int main(int argc, char** argv) {
  const char* names[tracers] = {"nitrate", "phosphate", "oxygen"};
  const MPI_Comm comm = MPI_COMM_WORLD;
  int rank, ranks, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int rank_west = (rank + ranks - 1) % ranks, rank_east = (rank + 1) % ranks;
  for (int t = 0; t < tracers; ++t) {
    for (int n = plane; n < (nx + 1) * plane; ++n) c[t][n] = value(rank, t, n);
  }
  /* EXAMPLE */
  for (int t = 0; t < tracers; ++t) {
    for (int n = 0; n < plane; ++n) {
      wrong += c[t][n] != value(rank_west, t, nx * plane + n);
      wrong += c[t][(nx + 1) * plane + n] != value(rank_east, t, plane + n);
    }
  }
  printf("rank %d: %d wrong\n", rank, wrong);
  MPI_Finalize();
  return 0;
}
