// A program with a function of its own around MPI_Allreduce, called three times in a row in each step.   own_sum STEPS
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) static double sum_of(double mine) {
  double sum;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum + 1;
}

__attribute__((noinline)) static double norms(int step) {
  double a = sum_of(step);
  double b = sum_of(2 * step);
  double c = sum_of(3 * step);
  return a + b + c;
}

int main(int argc, char** argv) {
  double all = 0;
  MPI_Init(&argc, &argv);
  for (int step = 0; step < atoi(argv[1]); ++step) {
    usleep(200);
    all += norms(step);
  }
  MPI_Finalize();
  return all < 0;
}
