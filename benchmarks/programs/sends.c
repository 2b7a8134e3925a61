// Sends to MPI_PROC_NULL, a ping-pong, and loops of many calls that all differ.
#include "bench.h"

static char buffer[16384];

static int64_t proc_null(int64_t iterations) {
  for (int64_t i = 0; i < iterations; ++i) MPI_Send(buffer, 8, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  return iterations;
}

static int64_t ping_pong(int64_t iterations) {
  const int other = rank ^ 1;
  if (other >= size) return 1;
  for (int64_t i = 0; i < iterations; ++i) {
    if (rank & 1) {
      MPI_Recv(buffer, 8, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(buffer, 8, MPI_BYTE, other, 2, MPI_COMM_WORLD);
    } else {
      MPI_Send(buffer, 8, MPI_BYTE, other, 1, MPI_COMM_WORLD);
      MPI_Recv(buffer, 8, MPI_BYTE, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  return 2 * iterations;
}

// One call site; count and tag make each of the `distinct` calls of a round another.
static int64_t rounds_of(int64_t iterations, int distinct) {
  for (int64_t i = 0; i < iterations; ++i) {
    for (int k = 0; k < distinct; ++k) {
      MPI_Send(buffer, k % 128, MPI_BYTE, MPI_PROC_NULL, k / 128, MPI_COMM_WORLD);
    }
  }
  return iterations * distinct;
}

static int64_t distinct_409(int64_t iterations) { return rounds_of(iterations, 409); }
static int64_t distinct_10000(int64_t iterations) { return rounds_of(iterations, 10000); }

const Case send_cases[] = {
    {"proc-null", proc_null, 500000},
    {"ping-pong", ping_pong, 20000},
    {"distinct-409", distinct_409, 1000},
    {"distinct-10000", distinct_10000, 40},
    {0, 0, 0},
};
