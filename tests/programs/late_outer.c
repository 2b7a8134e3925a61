// An outer loop whose first iteration has more calls than are looked at to find a loop.
//   late_outer INNER [MICROSECONDS]
// Four times, each rank of a ring passes a number on INNER times, then all reduce. Before it passes a number on, it
// computes for so long.
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((noinline)) static void compute(double seconds) {
  const double end = now_s() + seconds;
  while (now_s() < end) {
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  double out = 0, in, sum;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int inner = argc > 1 ? atoi(argv[1]) : 0;
  const double computing_s = argc > 2 ? 1e-6 * atof(argv[2]) : 0;
  for (int step = 0; step < 4; ++step) {
    for (int i = 0; i < inner; ++i) {
      MPI_Request requests[2];
      if (computing_s > 0) compute(computing_s);
      MPI_Irecv(&in, 1, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(&out, 1, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Allreduce(&out, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(&out, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
