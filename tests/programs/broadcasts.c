/* Broadcasts of 64 KiB, one in each step, and computation.   broadcasts STEPS */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static char data[1 << 16];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int step = 0; step < atoi(argv[1]); ++step) {
    usleep(1000);
    MPI_Bcast(data, sizeof data, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
