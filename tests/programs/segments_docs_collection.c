/* Every rank's part brought to rank 0, around the example of docs/build-in/segments.md. */
/* LIBRARY */
#include <stdio.h>
#include <string.h>

enum { tracers = 3, nx = 4, nz = 3, ny = 2, plane = nz * ny, most_ranks = 8 };

static double c[tracers][(nx + 2) * plane];

struct Output {
  double parts[tracers][most_ranks][nx * plane];
};

static double value(int rank, int tracer, int cell) { return 1e6 * rank + 1e3 * tracer + cell; }

static int write_piece(void* context, int field, int rank, size_t offset, void* data, size_t bytes) {
  struct Output* output = context;
  memcpy((char*)output->parts[field][rank] + offset, data, bytes);
  return 0;
}

int main(int argc, char** argv) {
  static struct Output output;
  const char* names[tracers] = {"nitrate", "phosphate", "oxygen"};
  const MPI_Comm comm = MPI_COMM_WORLD;
  int rank, ranks, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (int t = 0; t < tracers; ++t) {
    for (int n = plane; n < (nx + 1) * plane; ++n) c[t][n] = value(rank, t, n);
  }
  /* EXAMPLE */
  for (int t = 0; t < tracers && rank == 0; ++t) {
    for (int from = 0; from < ranks; ++from) {
      for (int n = 0; n < nx * plane; ++n) wrong += output.parts[t][from][n] != value(from, t, n + plane);
    }
  }
  printf("rank %d: %d wrong\n", rank, wrong);
  MPI_Finalize();
  return 0;
}
