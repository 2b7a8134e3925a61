// Collectives that the shim leaves alone, of nothing: what they cost is what is done before any message.
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

const Case collective_cases[] = {
    {"empty-bcast", empty_bcast, 500000},
    {"empty-allreduce", empty_allreduce, 500000},
    {0, 0, 0},
};
