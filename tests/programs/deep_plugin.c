// A plug-in that is an MPI program of its own.
#include <mpi.h>
#include <stddef.h>

int run(void) {
  MPI_Init(NULL, NULL);
  return MPI_Finalize();
}
