/* Computes in two routines between calls, three times as much in `heavy` as in `light`, and before another call in
   `beside`, while recording is paused if there is a third argument. Arguments: steps, work of a step. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t turn(uint64_t seed, long n) {
  for (long i = 0; i < n; ++i) seed = seed * 6364136223846793005u + 1442695040888963407u;
  return seed;
}

/* The loop belongs to each of them. */
#define ROUTINE __attribute__((noinline, flatten))
ROUTINE uint64_t heavy(uint64_t seed, long n) { return turn(seed, 3 * n); }
ROUTINE uint64_t light(uint64_t seed, long n) { return turn(seed ^ 1, n); }
ROUTINE uint64_t beside(uint64_t seed, long n) { return turn(seed ^ 2, n); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? atoi(argv[1]) : 100;
  const long work = argc > 2 ? atol(argv[2]) : 100000;
  uint64_t value = 1, sum = 0;
  for (int step = 0; step < steps; ++step) {
    value = light(heavy(value, work), work);
    MPI_Allreduce(&value, &sum, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
    if (argc > 3) MPI_Pcontrol(0);
    value = beside(sum, work);
    if (argc > 3) MPI_Pcontrol(1);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("%llu\n", (unsigned long long)value);
  MPI_Finalize();
  return 0;
}
