// One halo routine called from three routines, from one of them at two places: which call came from where is known.
// Compiles as C and as C++. The names behind `at:` mark lines that tests/recorder/test_call_paths.py looks for.
// call_paths STEPS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define ALONE __attribute__((noinline, noclone))

enum { length = 64, advections = 8, diffusions = 3 };

static double field[length], ghost[length];
static int rank, size;

ALONE static double exchange(int tag) {
  MPI_Request requests[2];
  MPI_Irecv(ghost, length, MPI_DOUBLE, (rank + size - 1) % size, tag, MPI_COMM_WORLD, &requests[0]);  // at:irecv
  MPI_Isend(field, length, MPI_DOUBLE, (rank + 1) % size, tag, MPI_COMM_WORLD, &requests[1]);         // at:isend
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);                                                      // at:waitall
  return ghost[tag % length];
}

ALONE static double advect(void) {
  double sum = exchange(100);                               // at:advect-first
  for (int i = 1; i < advections; ++i) sum += exchange(i);  // at:advect-loop
  return sum;
}

ALONE static double diffuse(void) {
  double sum = 1;
  for (int i = 0; i < diffusions; ++i) sum += exchange(i);  // at:diffuse
  return sum;
}

ALONE static double integrate(void) {
  return 2 + exchange(0);  // at:integrate
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 10;
  double sum = 0, total;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < length; ++i) field[i] = rank + i;
  for (int step = 0; step < steps; ++step) {
    sum += advect();     // at:main-advect
    sum += diffuse();    // at:main-diffuse
    sum += integrate();  // at:main-integrate
  }
  MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // at:allreduce
  if (rank == 0) printf("total %.17g\n", total);
  MPI_Finalize();
  return 0;
}
