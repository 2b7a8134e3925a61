// ./late_rank STEPS MICROSECONDS: between barriers, rank 0 waits as long for rank 1: in a receive, an allreduce, a
// broadcast and in an epoch of one-sided operations.
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, microseconds;

static void late(void) {
  if (rank == 1) usleep((useconds_t)microseconds);
}

__attribute__((noinline)) static void step(MPI_Win window, MPI_Group other, double* values) {
  MPI_Barrier(MPI_COMM_WORLD);
  late();
  if (rank == 1) MPI_Send(values, 10, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(values, 10, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  late();
  MPI_Allreduce(MPI_IN_PLACE, values, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  late();
  MPI_Bcast(values, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  late();
  if (rank == 0) {
    MPI_Win_start(other, 0, window);
    MPI_Put(values, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, window);
    MPI_Win_complete(window);
  } else {
    MPI_Win_post(other, 0, window);
    MPI_Win_wait(window);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int steps = atoi(argv[1]);
  microseconds = atoi(argv[2]);
  double values[10] = {0}, exposed = 0;
  MPI_Win window;
  MPI_Win_create(&exposed, sizeof exposed, sizeof exposed, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Group all, other;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  const int partner = 1 - rank;
  MPI_Group_incl(all, 1, &partner, &other);
  for (int s = 0; s < steps; s++) step(window, other, values);
  MPI_Group_free(&other);
  MPI_Group_free(&all);
  MPI_Win_free(&window);
  MPI_Finalize();
  return argc < 3;
}
