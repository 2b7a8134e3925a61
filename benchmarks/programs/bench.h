// What the cases share: who we are, and how a case is run. One process runs one case.
#pragma once

#include <mpi.h>
#include <stdint.h>

#define NOINLINE __attribute__((noinline))
// After a call, so that the compiler keeps the frame: no jump in place of the call.
#define KEEP_FRAME() __asm__ volatile("" ::: "memory")

extern int rank, size;

// Runs the case's loop `iterations` times; returns the number of calls this rank made.
typedef int64_t (*Run)(int64_t iterations);

typedef struct {
  const char* name;
  Run run;
  int64_t iterations;  // per block, so that a block takes some 10 ms
} Case;

extern const Case send_cases[], step_cases[], site_cases[], random_cases[], local_cases[], collective_cases[],
    file_cases[];

static inline uint64_t next_random(uint64_t* state) {  // xorshift64*
  uint64_t x = *state;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  *state = x;
  return x * 0x2545f4914f6cdd1dull;
}
