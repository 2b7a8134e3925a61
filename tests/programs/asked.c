// Steps of one reduction. What asks for a further one writes a file when there is none, as OpenFOAM's Time::loop()
// does. asked STEPS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int more(int rank, int step, int steps) {
  if (step < steps) return 1;
  char name[32];
  snprintf(name, sizeof(name), "state.%d", rank);
  FILE* const file = fopen(name, "w");
  if (!file) return 0;
  fprintf(file, "%d\n", step);
  fclose(file);
  return 0;
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 20;
  int rank = 0, step = 0;
  double sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while (more(rank, step, steps)) {
    double own = ++step;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
