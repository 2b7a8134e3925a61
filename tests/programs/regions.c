// Named regions whose calls, bytes and entries are known: regions [steps] [unbalanced | deep | early | threads]
// As C++ the halo is an object of class leadline::Region.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "leadline.h"

static int rank, partner;

static void swap(int bytes) {
  char out[1024] = {0}, in[1024];
  MPI_Sendrecv(out, bytes, MPI_CHAR, partner, 1, in, bytes, MPI_CHAR, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void halo(void) {
#ifdef __cplusplus
  leadline::Region region("halo");
  swap(100);
  swap(100);
#else
  leadline_region_begin("halo");
  swap(100);
  swap(100);
  leadline_region_end("halo");
#endif
}

static void* work(void* unused) {
  for (int i = 0; i < 100; ++i) {
    leadline_region_begin("thread");
    leadline_region_begin("inner");
    leadline_region_end("inner");
    leadline_region_end("thread");
  }
  return unused;
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 10;
  const char* how = argc > 2 ? argv[2] : "";
  if (!strcmp(how, "early")) {
    leadline_region_begin("before MPI");
    leadline_region_end("before MPI");
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  partner = 1 - rank;
  leadline_region_begin("setup");
  MPI_Barrier(MPI_COMM_WORLD);
  leadline_region_end("setup");
  for (int i = 0; i < steps; ++i) {
    leadline_region_begin("step");
    halo();
    if (rank == 1 && i == steps / 2) usleep(20000);
    leadline_region_begin("physics");
    swap(50);
    leadline_region_end("physics");
    if (!strcmp(how, "unbalanced")) {
      leadline_region_end("never entered");
      leadline_region_begin("never left");
    }
    leadline_region_end("step");
  }
  halo();
  if (!strcmp(how, "deep")) {
    char name[16];
    for (int i = 0; i < 100; ++i) snprintf(name, sizeof(name), "level %d", i), leadline_region_begin(name);
    swap(10);
    for (int i = 99; i >= 0; --i) snprintf(name, sizeof(name), "level %d", i), leadline_region_end(name);
  }
  if (!strcmp(how, "threads")) {
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  }
  MPI_Finalize();
  printf("rank %d done\n", rank);
  return 0;
}
