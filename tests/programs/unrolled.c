// Steps of one routine, four of which the compiler writes as one.
// unrolled STEPS
#include <mpi.h>
#include <stdlib.h>

__attribute__((noinline)) static void step(double* sum) {
  double own = *sum;
  MPI_Allreduce(&own, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  *sum /= 2;
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 400;
  double sum = 1;
  MPI_Init(&argc, &argv);
#pragma GCC unroll 4
  for (int i = 0; i < steps; ++i) step(&sum);
  MPI_Finalize();
  return 0;
}
