/* Allreduces and broadcasts of buffers of the host, of a device, and of a device on one rank only. Arguments: the path
   of the stand-in runtime, or "-" for none, and on which ranks buffers are in the device: "all", "last", "none". */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { longest = 16384, times = 3 };

int main(int argc, char** argv) {
  int rank, size, wrong = 0;
  void* (*allocate)(size_t) = malloc;
  int (*asked)(void) = NULL;
  if (argc < 3) return 2;
  if (strcmp(argv[1], "-") != 0) {
    void* const runtime = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!runtime) return fprintf(stderr, "%s\n", dlerror()), 2;
    *(void**)&allocate = dlsym(runtime, "stand_in_allocate");
    *(void**)&asked = dlsym(runtime, "stand_in_asked");
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int on_device = strcmp(argv[2], "all") == 0 || (strcmp(argv[2], "last") == 0 && rank == size - 1);
  double* const from = (on_device ? allocate : malloc)(longest * sizeof(double));
  double* const to = (on_device ? allocate : malloc)(longest * sizeof(double));
  for (int time = 0; time < times; ++time)
    for (int count = 4; count <= longest; count *= longest / 4) {
      for (int i = 0; i < count; ++i) from[i] = rank + i;
      MPI_Allreduce(from, to, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      for (int i = 0; i < count; ++i) wrong += to[i] != size * (double)i + size * (size - 1) / 2;
      MPI_Bcast(from, count, MPI_DOUBLE, size - 1, MPI_COMM_WORLD);
      for (int i = 0; i < count; ++i) wrong += from[i] != size - 1 + i;
      MPI_Barrier(MPI_COMM_WORLD);
    }
  printf("wrong: %d, %s\n", wrong, asked && asked() ? "asked" : "not asked");
  MPI_Finalize();
  return wrong != 0;
}
