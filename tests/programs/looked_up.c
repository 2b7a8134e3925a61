// Calls MPI by what dlsym finds. A linked program asks for the names that are visible to it (default) or for those
// behind it (next); it calls MPI directly too, so that its library is loaded. One without LINKED is linked with none
// and opens the file that is named:
//   looked_up [default|next|file]    looked_up open FILE [LOCAL]
// "file" opens the file that MPI_Initialized is in, and tells by its names which library that is.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "looked_up.h"

#ifdef LINKED
#include <mpi.h>
#endif

static void* find(void* where, const char* name) {
  dlerror();
  void* found = dlsym(where, name);
  const char* error = dlerror();
  if (!found || error) printf("%s: %s\n", name, error ? error : "null");
  return found;
}

int main(int argc, char** argv) {
  struct looked_up mpi;
  void* where = argc > 1 && strcmp(argv[1], "next") == 0 ? RTLD_NEXT : RTLD_DEFAULT;
#ifdef LINKED
  int version = 0, subversion = 0;
  MPI_Get_version(&version, &subversion);
  mpi.world = (long)MPI_COMM_WORLD;
  mpi.byte = (long)MPI_BYTE;
  if (argc > 1 && strcmp(argv[1], "file") == 0) {
    Dl_info in;
    void* initialized = dlsym(RTLD_DEFAULT, "MPI_Initialized");
    if (!initialized || !dladdr(initialized, &in)) return 4;
    where = dlopen(in.dli_fname, RTLD_NOW | RTLD_GLOBAL);
    if (!where) return printf("%s\n", dlerror()), 1;
    if (dlsym(where, "no_such_function") || !dlerror()) return 5;
#ifdef OPEN_MPI
    if (!find(where, "ompi_mpi_comm_world")) return 6;
#else
    if (dlsym(where, "ompi_mpi_comm_world")) return 6;
    dlerror();
#endif
  }
#else
  if (argc < 3) return 2;
  where = dlopen(argv[2], RTLD_NOW | (argc > 3 ? RTLD_LOCAL : RTLD_GLOBAL));
  if (!where) return printf("%s\n", dlerror()), 1;
  void* world = dlsym(where, "ompi_mpi_comm_world");
  mpi.world = world ? (long)world : 0x44000000;
  mpi.byte = world ? (long)dlsym(where, "ompi_mpi_byte") : 0x4c00010d;
#endif
  *(void**)&mpi.init = find(where, "MPI_Init");
  *(void**)&mpi.rank = find(where, "MPI_Comm_rank");
  *(void**)&mpi.send = find(where, "MPI_Send");
  *(void**)&mpi.receive = find(where, "MPI_Recv");
  *(void**)&mpi.barrier = find(where, "PMPI_Barrier");
  *(void**)&mpi.finalize = find(where, "MPI_Finalize");
  if (dlsym(where, "MPI_No_such_function") || !dlerror()) return 3;
  return exchange(&mpi);
}
