// Programs that recorders stumble over: hostile HOW STEPS [FILE]. Each does known traffic, prints what came of it, and
// ends with "rank R: sum S", the same whoever watches. With -DFAKE against fake_mpi.c.
//   limits    file-size files-exhausted address-space          (hostile_limits.h)
//   children  spawned daemon exec-itself                        (hostile_children.h)
//   threads   eight churn crowd noisy-threads small-stack left-running       (hostile_threads.h)
//   signals   storm overflow exit-in-handler                    (hostile_signals.h)
//   objects   communicators requests copied-requests errors nulls    (hostile_objects.h)
//   files     low-descriptors close-all vanish moves no-environment  (hostile_files.h)
#define _GNU_SOURCE
#ifdef FAKE
#include "fake_mpi.h"
#else
#include <mpi.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { length = 32 };

static int rank, size;
static double sum;
static const char* file_name;
static char** arguments;

// Per step one MPI_Irecv, MPI_Send and MPI_Wait around the ring. Returns the sum of what came.
static double ring(int steps, MPI_Comm comm, int tag) {
  double out[length], in[length], total = 0;
  for (int i = 0; i < steps; ++i) {
    MPI_Request request;
    for (int j = 0; j < length; ++j) out[j] = rank + i % 100 + j + tag;
    MPI_Irecv(in, length, MPI_DOUBLE, (rank + size - 1) % size, tag, comm, &request);
    MPI_Send(out, length, MPI_DOUBLE, (rank + 1) % size, tag, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int j = 0; j < length; ++j) total += in[j];
  }
  return total;
}

// Sends to nobody that no predictor foresees: generations fill up and are written.
static void noise(int n) {
  unsigned state = 12345u + (unsigned)rank;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    MPI_Send(&state, 1 + (int)(state >> 28), MPI_BYTE, MPI_PROC_NULL, (int)(state >> 9 & 0x3fffff) % 30000,
             MPI_COMM_WORLD);
  }
}

static void traffic(int steps) { sum += ring(steps, MPI_COMM_WORLD, 3); }

#include "hostile_children.h"
#include "hostile_files.h"
#include "hostile_limits.h"
#include "hostile_objects.h"
#include "hostile_signals.h"
#include "hostile_threads.h"

typedef struct {
  const char* name;
  void (*before)(int steps);  // MPI_Init
  void (*run)(int steps);
  int threads;  // it needs MPI_THREAD_MULTIPLE
} How;

static const How hows[] = {
    {"plain", NULL, traffic, 0},
    {"noise", NULL, noise, 0},
    {"file-size", NULL, limited_file_size, 0},
    {"files-exhausted", NULL, files_exhausted, 0},
    {"address-space", limit_address_space, noise, 0},
    {"spawned", NULL, with_spawned_children, 0},
    {"daemon", become_daemon, traffic, 0},
    {"exec-itself", NULL, execute_itself, 0},
    {"eight", NULL, eight_threads, 1},
    {"churn", NULL, many_threads_one_after_another, 1},
    {"crowd", NULL, more_threads_than_are_recorded, 1},
    {"small-stack", NULL, on_a_small_stack, 0},
    {"noisy-threads", NULL, noisy_threads, 1},
    {"left-running", NULL, leave_threads_running, 1},
    {"storm", NULL, signal_storm, 0},
    {"overflow", NULL, overflow_the_stack, 0},
    {"exit-in-handler", NULL, exit_in_handler, 0},
    {"communicators", NULL, many_communicators, 0},
    {"requests", NULL, many_requests, 0},
    {"copied-requests", NULL, copied_requests, 0},
    {"errors", NULL, errors_that_return, 0},
    {"nulls", NULL, null_arguments, 0},
    {"low-descriptors", open_low_descriptors, write_low_descriptors, 0},
    {"close-all", NULL, close_all_descriptors, 0},
    {"vanish", NULL, remove_directory, 0},
    {"moves", change_directory, traffic, 0},
    {"no-environment", clear_environment, traffic, 0},
};

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "plain";
  const int steps = argc > 2 ? atoi(argv[2]) : 100;
  const How* how = NULL;
  for (size_t i = 0; i < sizeof hows / sizeof *hows; ++i) {
    if (strcmp(hows[i].name, name) == 0) how = &hows[i];
  }
  if (!how) return 2;
  file_name = argc > 3 ? argv[3] : NULL;
  arguments = argv;
  if (how->before) how->before(steps);
  int provided;
  MPI_Init_thread(&argc, &argv, how->threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  threads_allowed = provided == MPI_THREAD_MULTIPLE;
  how->run(steps);
  printf("rank %d: sum %.17g\n", rank, sum);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
