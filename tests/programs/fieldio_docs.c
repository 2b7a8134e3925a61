/* Strips of a field in start.nc, around the example of docs/build-in/fieldio.md. */
/* LIBRARY */
#include <stdio.h>

enum { NX = 7, NZ = 3, NY = 4 };

static double temperature[(NX + 2) * NZ * NY];

static double value(int64_t x, int64_t k, int64_t y) { return 100.0 * (double)x + 10.0 * (double)k + (double)y; }

/* By rank 0 alone. */
static void make_file(void) {
  leadline_field_file* file = NULL;
  double values[NX * NZ * NY];
  const int64_t first[3] = {0, 0, 0}, count[3] = {NX, NZ, NY};
  for (int n = 0; n < NX * NZ * NY; ++n) values[n] = value(n / (NZ * NY), n / NY % NZ, n % NY);
  const leadline_fieldio_options alone = {.way = LEADLINE_FIELDIO_GATHERED};
  leadline_fieldio_create(MPI_COMM_SELF, "start.nc", &alone, &file);
  const int dimension[3] = {leadline_fieldio_dimension(file, "x", NX), leadline_fieldio_dimension(file, "level", NZ),
                            leadline_fieldio_dimension(file, "y", NY)};
  const int variable = leadline_fieldio_define(file, "temperature", LEADLINE_FIELDIO_DOUBLE, 3, dimension);
  leadline_fieldio_end_definitions(file);
  leadline_fieldio_put(file, variable, 3, first, count, LEADLINE_FIELDIO_DOUBLE, values);
  if (leadline_fieldio_close(file)) fprintf(stderr, "%s\n", leadline_fieldio_message(file));
  leadline_fieldio_free(&file);
}

int main(int argc, char** argv) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  int rank, ranks, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int64_t x_first = NX * rank / ranks, nx = NX * (rank + 1) / ranks - x_first;
  if (rank == 0) make_file();
  MPI_Barrier(comm);
  /* EXAMPLE */
  for (int64_t n = 0; n < (nx + 2) * NZ * NY; ++n) {
    const int64_t x = x_first + n / (NZ * NY) - 1;
    const double expected = x < 0 || x >= NX ? 0.0 : value(x, n / NY % NZ, n % NY);
    wrong += temperature[n] != expected;
  }
  printf("rank %d: %d wrong\n", rank, wrong);
  MPI_Finalize();
  return 0;
}
