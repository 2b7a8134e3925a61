/* Solvers in each step: loops with short sums apart, and what only looks like one.   solver STEPS */
#include <mpi.h>
#include <stdlib.h>

enum { TRIPS = 12 };
static int rank, ranks;
static double kept;

__attribute__((noinline)) static void spend(int us) {
  double end = MPI_Wtime() + 1e-6 * us;
  while (MPI_Wtime() < end) {
  }
}

__attribute__((noinline)) static void swap(void) {
  double in[8], out[8] = {0};
  MPI_Sendrecv(out, 8, MPI_DOUBLE, (rank + 1) % ranks, 1, in, 8, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void sum(void) {
  double mine = rank, all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  kept += all;
}

__attribute__((noinline)) static void conjugate(void) {
  for (int trip = 0; trip < TRIPS; ++trip) {
    swap();
    spend(30);
    sum();
    spend(30);
    sum();
    if (trip == TRIPS - 1) sum(); /* looks at it once more before it ends */
  }
}

__attribute__((noinline)) static void two_products(void) {
  for (int trip = 0; trip < TRIPS; ++trip) {
    swap();
    spend(30);
    sum();
    swap();
    spend(30);
    sum();
  }
}

__attribute__((noinline)) static void gathers_too(void) {
  for (int trip = 0; trip < TRIPS; ++trip) {
    double all[64];
    swap();
    spend(30);
    sum();
    MPI_Gather(&kept, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    spend(30);
    sum();
  }
}

__attribute__((noinline)) static void without_messages(void) {
  for (int trip = 0; trip < TRIPS; ++trip) {
    spend(30);
    sum();
    spend(30);
    sum();
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int step = 0; step < atoi(argv[1]); ++step) {
    conjugate();
    two_products();
    gathers_too();
    without_messages();
  }
  MPI_Finalize();
  return kept < 0;
}
