// A bit of everything that a report shows, under names that do not fit into narrow columns.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { values = 1000, steps = 60 };

static void exchange_with_both_neighbours_of_the_ring(int rank, int size, double* data) {
  MPI_Request requests[4];
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Irecv(data, values, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(data + values, values, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(data + 2 * values, values, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(data + 3 * values, values, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void write_the_whole_state_of_this_rank(int rank, const double* data) {
  char name[80];
  snprintf(name, sizeof name, "the-whole-state-as-every-rank-writes-it-%d.dat", rank);
  FILE* file = fopen(name, "w");
  if (!file) return;
  fwrite(data, sizeof *data, 4 * values, file);
  fclose(file);
}

static void advance_by_one_step_of_the_simulation(int rank, int size, double* data) {
  double sum;
  exchange_with_both_neighbours_of_the_ring(rank, size, data);
  MPI_Allreduce(data, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double* data = calloc(4 * values, sizeof *data);
  for (int step = 0; step < steps; step++) {
    advance_by_one_step_of_the_simulation(rank, size, data);
    if (step % 20 == 0) write_the_whole_state_of_this_rank(rank, data);
  }
  MPI_Win window;
  MPI_Win_create(data, 4 * values * sizeof *data, sizeof *data, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(data, 10, MPI_DOUBLE, (rank + 1) % size, values, 10, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  free(data);
  MPI_Finalize();
  return 0;
}
