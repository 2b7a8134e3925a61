// Ranks that write into each other's windows between fences; the last one comes late to each.   fences STEPS
// MICROSECONDS
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int steps = atoi(argv[1]), late_us = argc > 2 ? atoi(argv[2]) : 2000;
  double value = rank, *memory;
  MPI_Win window;
  MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int step = 0; step < steps; ++step) {
    if (rank == size - 1) usleep(late_us);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_DOUBLE, (rank + 1) % size, 0, 1, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
  }
  MPI_Win_free(&window);
  MPI_Finalize();
}
