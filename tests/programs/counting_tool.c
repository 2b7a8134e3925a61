// A profiling tool of the simplest kind: counts one function and says so at the end.
#include <mpi.h>
#include <stdio.h>

static int sends;

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  ++sends;
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Finalize(void) {
  printf("counting tool: %d\n", sends);
  return PMPI_Finalize();
}
