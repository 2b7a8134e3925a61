// Keeps 600 duplicates of two communicators, frees them, and makes them again, three times.
#include <mpi.h>

int main(int argc, char** argv) {
  static MPI_Comm kept[600];
  MPI_Init(&argc, &argv);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 600; ++i) MPI_Comm_dup(i % 2 ? MPI_COMM_SELF : MPI_COMM_WORLD, &kept[i]);
    for (int i = 0; i < 600; ++i) MPI_Comm_free(&kept[i]);
  }
  return MPI_Finalize();
}
