// Collectives under the shim: of nothing, which it leaves alone (what they cost is what is done before any message),
// and a broadcast that it serves, by the library's own.
#include "bench.h"

static int64_t empty_bcast(int64_t iterations) {
  for (int64_t i = 0; i < iterations; ++i) MPI_Bcast(0, 0, MPI_INT, 0, MPI_COMM_WORLD);
  return iterations;
}

static int64_t empty_allreduce(int64_t iterations) {
  int from = 0, to = 0;
  for (int64_t i = 0; i < iterations; ++i) MPI_Allreduce(&from, &to, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return iterations;
}

// The roots take turns, so that no rank runs ahead.
static int64_t broadcasts(int64_t iterations, int count) {
  double values[2] = {0, 0};
  for (int64_t i = 0; i < iterations; ++i) MPI_Bcast(values, count, MPI_DOUBLE, (int)(i % 2), MPI_COMM_WORLD);
  return iterations;
}

static int64_t bcast_8(int64_t iterations) { return broadcasts(iterations, 1); }

static int64_t bcast_16(int64_t iterations) { return broadcasts(iterations, 2); }

const Case collective_cases[] = {
    {"empty-bcast", empty_bcast, 500000},
    {"empty-allreduce", empty_allreduce, 500000},
    {"bcast-8", bcast_8, 200000},
    {"bcast-16", bcast_16, 200000},
    {0, 0, 0},
};
