// usage: bench CASE [--blocks N] [--iterations N] [--no-warm-up] [--peak]
//
// Rank r is put on the r-th core it may use. The case's loop runs in blocks; rank 0 prints one line of JSON with every
// rank's nanoseconds per call in each block: by the clock on the wall, and of processor time, which other programs
// disturb less where nobody waits for a message. --peak: each process also prints its largest resident set, its end
// included.
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

int rank, size;

static const Case* const groups[] = {send_cases,  step_cases,       site_cases, random_cases,
                                     local_cases, collective_cases, file_cases};

static const Case* find_case(const char* name) {
  for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); ++g) {
    for (const Case* c = groups[g]; c->name; ++c) {
      if (strcmp(c->name, name) == 0) return c;
    }
  }
  return NULL;
}

static double now_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void pin(void) {
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
  int skip = rank % CPU_COUNT(&allowed);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed) || skip-- > 0) continue;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof(one), &one);
    return;
  }
}

// The program proper goes on in a child; this process waits and tells how large the child became.
static void watch_peak(void) {
  const pid_t child = fork();
  if (child <= 0) return;
  int status = 0;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) < 0) exit(1);
  printf("{\"peak_kb\": %ld}\n", usage.ru_maxrss);
  exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

// A list per rank, of a value per block.
static void print_blocks(const char* name, const double* own, int blocks) {
  double* const all = malloc((size_t)blocks * (size_t)size * sizeof(double));
  if (!all) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Gather(own, blocks, MPI_DOUBLE, all, blocks, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf(", \"%s\": [", name);
    for (int r = 0; r < size; ++r) {
      printf("%s[", r ? ", " : "");
      for (int b = 0; b < blocks; ++b) printf("%s%.3f", b ? ", " : "", all[r * blocks + b]);
      printf("]");
    }
    printf("]");
  }
  free(all);
}

int main(int argc, char** argv) {
  int blocks = 11, warm_up = 1;
  int64_t iterations = 0;
  const Case* c = argc > 1 ? find_case(argv[1]) : NULL;
  if (!c) {
    fprintf(stderr, "bench: no such case: %s\n", argc > 1 ? argv[1] : "(none)");
    return 2;
  }
  for (int i = 2; i < argc; ++i) {
    if (strcmp(argv[i], "--blocks") == 0 && i + 1 < argc)
      blocks = atoi(argv[++i]);
    else if (strcmp(argv[i], "--iterations") == 0 && i + 1 < argc)
      iterations = atoll(argv[++i]);
    else if (strcmp(argv[i], "--no-warm-up") == 0)
      warm_up = 0;
    else if (strcmp(argv[i], "--peak") == 0)
      watch_peak();
    else
      return fprintf(stderr, "bench: unknown option %s\n", argv[i]), 2;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  pin();
  if (iterations <= 0) iterations = c->iterations;
  double* const wall = calloc((size_t)blocks, sizeof(double));
  double* const cpu = calloc((size_t)blocks, sizeof(double));
  if (!wall || !cpu) MPI_Abort(MPI_COMM_WORLD, 1);
  if (warm_up) c->run(iterations);
  int64_t calls = 0;
  for (int b = 0; b < blocks; ++b) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double wall_begin = now_ns(CLOCK_MONOTONIC), cpu_begin = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    calls = c->run(iterations);
    cpu[b] = (now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin) / (double)calls;
    wall[b] = (now_ns(CLOCK_MONOTONIC) - wall_begin) / (double)calls;
  }
  if (rank == 0) printf("{\"case\": \"%s\", \"calls\": %lld", c->name, (long long)calls);
  print_blocks("wall_ns", wall, blocks);
  print_blocks("cpu_ns", cpu, blocks);
  if (rank == 0) printf("}\n");
  free(wall);
  free(cpu);
  MPI_Finalize();
  return 0;
}
