// Programs in which there is nothing, or little, to predict.
#include "bench.h"

enum { in_flight = 16 };

static char buffer[2 * in_flight][8];
static uint64_t state = 0x9e3779b97f4a7c15ull;

static int64_t random_tags(int64_t iterations) {
  for (int64_t i = 0; i < iterations; ++i) {
    MPI_Send(buffer, 8, MPI_BYTE, MPI_PROC_NULL, (int)(next_random(&state) >> 40), MPI_COMM_WORLD);
  }
  return iterations;
}

// Messages to and fro, completed one by one in an order drawn anew each time.
static int64_t random_waits(int64_t iterations) {
  const int other = size > 1 ? rank ^ 1 : rank;
  if (other >= size) return 1;
  MPI_Request r[in_flight];
  for (int64_t i = 0; i < iterations; ++i) {
    int order[in_flight];
    for (int k = 0; k < in_flight / 2; ++k) {
      MPI_Irecv(buffer[k], 8, MPI_BYTE, other, k, MPI_COMM_WORLD, &r[k]);
    }
    for (int k = in_flight / 2; k < in_flight; ++k) {
      MPI_Isend(buffer[k], 8, MPI_BYTE, other, k - in_flight / 2, MPI_COMM_WORLD, &r[k]);
    }
    for (int k = 0; k < in_flight; ++k) {
      const int at = (int)(next_random(&state) % (uint64_t)(k + 1));
      order[k] = order[at];
      order[at] = k;
    }
    for (int k = 0; k < in_flight; ++k) MPI_Wait(&r[order[k]], MPI_STATUS_IGNORE);
  }
  return 2 * in_flight * iterations;
}

static int64_t random_calls(int64_t iterations) {
  for (int64_t i = 0; i < iterations; ++i) {
    switch (next_random(&state) >> 61) {
      case 0:
        MPI_Send(buffer, 1, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
        break;
      case 1:
        MPI_Send(buffer, 2, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD);
        break;
      case 2:
        MPI_Send(buffer, 1, MPI_DOUBLE, MPI_PROC_NULL, 3, MPI_COMM_WORLD);
        break;
      case 3:
        MPI_Send(buffer, 4, MPI_BYTE, MPI_PROC_NULL, 4, MPI_COMM_SELF);
        break;
      case 4:
        MPI_Ssend(buffer, 4, MPI_BYTE, MPI_PROC_NULL, 4, MPI_COMM_WORLD);
        break;
      case 5:
        MPI_Rsend(buffer, 4, MPI_BYTE, MPI_PROC_NULL, 4, MPI_COMM_WORLD);
        break;
      case 6:
        MPI_Recv(buffer, 4, MPI_BYTE, MPI_PROC_NULL, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
      default:
        MPI_Send(buffer, 8, MPI_BYTE, MPI_PROC_NULL, 5, MPI_COMM_WORLD);
        break;
    }
  }
  return iterations;
}

// An inner loop that runs 1 to 64 times, then another call.
static int64_t random_trips(int64_t iterations) {
  int64_t calls = 0;
  for (int64_t i = 0; i < iterations; ++i) {
    const int trips = 1 + (int)(next_random(&state) >> 58);
    for (int k = 0; k < trips; ++k) MPI_Send(buffer, 8, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Send(buffer, 4, MPI_BYTE, MPI_PROC_NULL, 2, MPI_COMM_WORLD);
    calls += trips + 1;
  }
  return calls;
}

const Case random_cases[] = {
    {"random-tags", random_tags, 200000},
    {"random-waits", random_waits, 2000},
    {"random-calls", random_calls, 200000},
    {"random-trips", random_trips, 10000},
    {0, 0, 0},
};
