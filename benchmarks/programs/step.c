// A model's time step of 409 calls: 51 fields, each exchanged with both neighbours of a ring by 2 Irecv, 2 Isend and
// 4 Wait, then an Allreduce of 8 bytes; every 48th step 12 blocking sends to the root.
#include <stdlib.h>

#include "bench.h"

enum { fields = 51, output_every = 48, output_sends = 12, largest = 72 * 1024 };

static char* memory;
static int64_t step_number;

static NOINLINE void exchange(int bytes) {
  char* const in = memory;
  char* const out = memory + 2 * largest;
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Request r[4];
  MPI_Irecv(in, bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(in + largest, bytes, MPI_BYTE, right, 2, MPI_COMM_WORLD, &r[1]);
  MPI_Isend(out, bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &r[2]);
  MPI_Isend(out + largest, bytes, MPI_BYTE, left, 2, MPI_COMM_WORLD, &r[3]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Wait(&r[1], MPI_STATUS_IGNORE);
  MPI_Wait(&r[2], MPI_STATUS_IGNORE);
  MPI_Wait(&r[3], MPI_STATUS_IGNORE);
  KEEP_FRAME();
}

static NOINLINE void advect(int bytes) {
  for (int f = 0; f < fields / 3; ++f) exchange(bytes);
  KEEP_FRAME();
}
static NOINLINE void diffuse(int bytes) {
  for (int f = 0; f < fields / 3; ++f) exchange(bytes);
  KEEP_FRAME();
}
static NOINLINE void advance(int bytes) {
  for (int f = 0; f < fields / 3; ++f) exchange(bytes);
  KEEP_FRAME();
}

static NOINLINE int64_t output(int bytes) {
  if (rank) {
    for (int i = 0; i < output_sends; ++i) MPI_Send(memory, bytes, MPI_BYTE, 0, 10 + i, MPI_COMM_WORLD);
    return output_sends;
  }
  for (int from = 1; from < size; ++from) {
    for (int i = 0; i < output_sends; ++i) {
      MPI_Recv(memory, bytes, MPI_BYTE, from, 10 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  return (int64_t)output_sends * (size - 1);
}

static int64_t steps(int64_t iterations, int bytes) {
  int64_t calls = 0;
  if (!memory) memory = calloc(4, largest);
  for (int64_t i = 0; i < iterations; ++i) {
    advect(bytes);
    diffuse(bytes);
    advance(bytes);
    double mine = 1, all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    calls += fields * 8 + 1;
    if (++step_number % output_every == 0) calls += output(bytes);
  }
  return calls;
}

static int64_t step_1kb(int64_t iterations) { return steps(iterations, 1024); }
static int64_t step_72kb(int64_t iterations) { return steps(iterations, largest); }

const Case step_cases[] = {
    {"step-1kB", step_1kb, 240},
    {"step-72kB", step_72kb, 48},
    {0, 0, 0},
};
