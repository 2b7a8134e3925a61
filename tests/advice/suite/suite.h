/* What the programs of the suite share. PROGRAM CASE FORM STEPS runs one case: with its fault (FORM 0) or mended (1).
   Each case is a routine with one loop over steps. Computation is a pause of known length, so that ranks that share
   cores do not disturb each other. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define COMM MPI_COMM_WORLD
#define NO_STATUS MPI_STATUS_IGNORE
#define NO_STATUSES MPI_STATUSES_IGNORE
#define OWN __attribute__((noinline, unused)) static
#define CASE(name) OWN void name(int mended, int steps)
#define HEALTHY(name) OWN void name(__attribute__((unused)) int mended, int steps)
#define KEEP __asm__ volatile("") /* the call before it is not made a jump, which would hide its routine */
#define MOST 400000

static int rank, size, left, right, below, above; /* below, above: none at the ends */
static int own_core;
static double out[MOST] __attribute__((unused)), in[MOST] __attribute__((unused)), total, part;

#ifndef SLOWER /* benchmarks/advise/blind.py */
#define SLOWER 1
#endif

/* A short pause would take a wake-up longer: where each rank has a core, it is spent looking at the clock. */
OWN void compute(int usual_us) {
  const int us = (int)(usual_us * SLOWER);
  if (us <= 200 && own_core) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    for (long end = t.tv_sec * 1000000000L + t.tv_nsec + us * 1000L; t.tv_sec * 1000000000L + t.tv_nsec < end;)
      clock_gettime(CLOCK_MONOTONIC, &t);
    return;
  }
  struct timespec t = {us / 1000000, us % 1000000 * 1000L};
  nanosleep(&t, NULL);
}

OWN void sum(void) {
  MPI_Allreduce(&part, &total, 1, MPI_DOUBLE, MPI_SUM, COMM);
  KEEP;
}

/* Both faces of a field, with neighbours in a row of ranks. */
OWN void swap_faces(double* field, int n) {
  MPI_Request all[4];
  MPI_Irecv(in, n, MPI_DOUBLE, below, 1, COMM, &all[0]);
  MPI_Irecv(in + n, n, MPI_DOUBLE, above, 2, COMM, &all[1]);
  MPI_Isend(field, n, MPI_DOUBLE, below, 2, COMM, &all[2]);
  MPI_Isend(field + n, n, MPI_DOUBLE, above, 1, COMM, &all[3]);
  MPI_Waitall(4, all, NO_STATUSES);
  KEEP;
}

struct one {
  const char* name;
  void (*run)(int mended, int steps);
};

static int run_one(int argc, char** argv, const struct one* all) {
  prctl(PR_SET_TIMERSLACK, 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(COMM, &rank), MPI_Comm_size(COMM, &size);
  left = (rank + size - 1) % size, right = (rank + 1) % size;
  below = rank ? rank - 1 : MPI_PROC_NULL, above = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  own_core = size <= sysconf(_SC_NPROCESSORS_ONLN);
  MPI_Barrier(COMM);
  double began = MPI_Wtime();
  for (; all->name; ++all)
    if (argc > 3 && !strcmp(all->name, argv[1])) all->run(atoi(argv[2]), atoi(argv[3]));
  if (!rank) printf("%.6f\n", MPI_Wtime() - began);
  MPI_Finalize();
  return 0;
}
#define PROGRAM(...)                                       \
  int main(int argc, char** argv) {                        \
    static const struct one all[] = {__VA_ARGS__, {0, 0}}; \
    return run_one(argc, argv, all);                       \
  }
#define IS(name) {#name, name}
