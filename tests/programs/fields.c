// Two ranks that exchange fields one after another in each step, and reduce.   fields STEPS
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { fields = 6, points = 100 };
static double out[fields][points], in[fields][points];

__attribute__((noinline)) static void exchange_fields(int other) {
  for (int field = 0; field < fields; ++field) {
    MPI_Request requests[2];
    MPI_Irecv(in[field], points, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out[field], points, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double sum = 0, all = 0;
  for (int step = 0; step < atoi(argv[1]); ++step) {
    usleep(200);
    exchange_fields(1 - rank);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
