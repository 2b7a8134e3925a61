// Steps that communicate in an inner loop alone. A routine that is called in each writes every fifth time.
// seldom_written STEPS seldom | tags | lines | two | files
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWN __attribute__((noinline)) static void
#define KEEP __asm__ volatile("")

static int rank, ranks;

OWN keep(int step) {
  char name[32];
  snprintf(name, sizeof(name), "kept.%d", rank);
  if (step % 5) return;
  FILE* const file = fopen(name, "w");
  if (!file) return;
  fprintf(file, "%d\n", step);
  fclose(file);
}

OWN correct(double* sum) {
  double own = *sum;
  MPI_Allreduce(&own, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  *sum /= ranks;
}

OWN swap(double* sum, int tag) {
  double own = *sum;
  MPI_Sendrecv(&own, 1, MPI_DOUBLE, rank ^ 1, tag, sum, 1, MPI_DOUBLE, rank ^ 1, tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  KEEP;
}

// Nothing but the output shows where a step ends.
OWN seldom(int steps, double* sum) {
  for (int step = 1; step <= steps; ++step) {
    for (int k = 0; k < 3; ++k) correct(sum);
    keep(step);
  }
}

// Tags do.
OWN tags(int steps, double* sum) {
  for (int step = 1; step <= steps; ++step) {
    for (int k = 0; k < 3; ++k) swap(sum, k);
    keep(step);
  }
}

// So does a line that each step writes itself.
OWN lines(int steps, double* sum) {
  FILE* const file = fopen(rank ? "log.1" : "log.0", "w");
  if (!file) MPI_Abort(MPI_COMM_WORLD, 3);
  for (int step = 1; step <= steps; ++step) {
    for (int k = 0; k < 3; ++k) correct(sum);
    fprintf(file, "%d %g\n", step, *sum);
    keep(step);
  }
  fclose(file);
}

// And so does a second inner loop.
OWN two(int steps, double* sum) {
  for (int step = 1; step <= steps; ++step) {
    for (int k = 0; k < 3; ++k) correct(sum);
    for (int k = 0; k < 3; ++k) swap(sum, 7);
    keep(step);
  }
}

// Here, they only write.
OWN files(int steps) {
  for (int step = 1; step <= steps; ++step) keep(5 * step);
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 20;
  const char* const form = argc > 2 ? argv[2] : "seldom";
  double sum = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!strcmp(form, "tags")) tags(steps, &sum);
  if (!strcmp(form, "lines")) lines(steps, &sum);
  if (!strcmp(form, "two")) two(steps, &sum);
  if (!strcmp(form, "files")) files(steps);
  if (!strcmp(form, "seldom")) seldom(steps, &sum);
  MPI_Finalize();
  return 0;
}
