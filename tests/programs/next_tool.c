// A tool that passes calls on to the next function of their name, and says at the end how many it saw.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static int sends;

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  static int (*next)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "MPI_Send");
  ++sends;
  return next(data, count, type, to, tag, comm);
}

int MPI_Finalize(void) {
  int (*next)(void);
  *(void**)&next = dlsym(RTLD_NEXT, "MPI_Finalize");
  if (sends) printf("tool: %d\n", sends);
  return next();
}
