// Purely local calls, as some models make by the hundred thousand.
#include "bench.h"

static int64_t comm_rank(int64_t iterations) {
  int r = 0;
  for (int64_t i = 0; i < iterations; ++i) MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return iterations;
}

static int64_t cart_shift(int64_t iterations) {
  static MPI_Comm cart = MPI_COMM_NULL;
  const int dimensions[1] = {size}, periods[1] = {1};
  if (cart == MPI_COMM_NULL) MPI_Cart_create(MPI_COMM_WORLD, 1, dimensions, periods, 0, &cart);
  int source = 0, destination = 0;
  for (int64_t i = 0; i < iterations; ++i) MPI_Cart_shift(cart, 0, 1, &source, &destination);
  return iterations;
}

// Of one process: the library sends nothing. Made and freed, as in every step of some codes.
static int64_t dup_self(int64_t iterations) {
  for (int64_t i = 0; i < iterations; ++i) {
    MPI_Comm made;
    MPI_Comm_dup(MPI_COMM_SELF, &made);
    MPI_Comm_free(&made);
  }
  return iterations;
}

static int64_t wtime(int64_t iterations) {
  double sum = 0;
  for (int64_t i = 0; i < iterations; ++i) sum += MPI_Wtime();
  return sum > 0 ? iterations : 0;
}

const Case local_cases[] = {
    {"comm-rank", comm_rank, 500000},
    {"cart-shift", cart_shift, 500000},
    {"wtime", wtime, 300000},
    {"dup-self", dup_self, 20000},
    {0, 0, 0},
};
