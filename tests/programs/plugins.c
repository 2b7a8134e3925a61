// Loads plug-ins one after the other, mostly at the same address, and unloads them: plugins N FILE...
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "fake_mpi.h"

static void send_one(void) {
  int one = 1;
  MPI_Send(&one, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 2; i < argc; ++i) {
    void* plugin = dlopen(argv[i], RTLD_NOW);
    if (!plugin) return 1;
    void (*run)(void (*)(void), int);
    *(void**)&run = dlsym(plugin, "run");
    run(send_one, atoi(argv[1]));
    dlclose(plugin);
  }
  MPI_Finalize();
  return 0;
}
