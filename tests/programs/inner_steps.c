/* inner_steps KIND STEPS: steps whose calls are all made in one inner loop. No call shows where a step begins, but what
   the calls do. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COMM MPI_COMM_WORLD
enum { fields = 7, levels = 5, records = 6 };
static int rank, ranks;
static double in[4000], out[4000];

__attribute__((noinline)) static void compute(int n) {
  for (volatile int i = 0; i < n; ++i) out[i % 4000] += 1;
}

static void swap(int partner, int source, int n, int tag) {
  MPI_Sendrecv(out, n, MPI_DOUBLE, partner, tag, in, 4000, MPI_DOUBLE, source, tag, COMM, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void solve(int n) {
  double all;
  for (int i = 0; i < n; ++i) MPI_Allreduce(out, &all, 1, MPI_DOUBLE, MPI_SUM, COMM);
}
/* Two ways to one loop, which takes most of the time however busy the cores are. */
__attribute__((noinline)) static void by_one(void) {
  solve(300);
  compute(10);
}
__attribute__((noinline)) static void by_other(void) {
  solve(300);
  compute(20);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(COMM, &rank), MPI_Comm_size(COMM, &ranks);
  const char* kind = argv[1];
  const int steps = atoi(argv[2]), left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  if (!strcmp(kind, "fields")) {
    for (int step = 0; step < steps; ++step) { /* fields */
      compute(2000);
      for (int field = 0; field < fields; ++field) swap(right, left, 100, field);
    }
  } else if (!strcmp(kind, "partners")) {
    for (int step = 0; step < steps; ++step) { /* partners */
      compute(2000);
      for (int k = 1; k < ranks; ++k) swap((rank + k) % ranks, (rank + ranks - k) % ranks, 100, 1);
    }
  } else if (!strcmp(kind, "levels")) {
    for (int step = 0; step < steps; ++step) { /* levels */
      for (int level = 0; level < levels; ++level) {
        compute(400000 >> level);
        swap(right, left, 1600 >> level, 1);
      }
    }
  } else if (!strcmp(kind, "records")) {
    MPI_File file;
    MPI_File_open(MPI_COMM_SELF, argv[3 + rank], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    for (int step = 0; step < steps; ++step) { /* records */
      compute(2000);
      for (int record = 0; record < records; ++record)
        MPI_File_write_at(file, 800 * record, out, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
  } else if (!strcmp(kind, "ways")) {
    for (int step = 0; step < steps; ++step) { /* ways */
      compute(100);
      MPI_Barrier(COMM);
      rank % 2 ? by_one() : by_other();
    }
  } else if (!strcmp(kind, "naps")) {
    for (int step = 0; step < steps; ++step) { /* naps */
      for (int field = 0; field < 4; ++field) swap(rank, rank, 100, field);
      solve(3);
      nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
  } else if (!strcmp(kind, "steps")) { /* entered once for each of two runs */
    for (int run = 0; run < 2; ++run) {
      for (int step = 0; step < steps; ++step) { /* steps */
        compute(2000);
        swap(right, left, 100 + step, 1);
        MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, COMM);
      }
    }
  }
  MPI_Finalize();
}
