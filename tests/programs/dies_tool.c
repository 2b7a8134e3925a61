// Loaded after the recorder: the process is killed in MPI_Init, or in MPI_Barrier; or MPI_Init calls exit.
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void die(const char* where) {
  if (getenv("DIES") && strcmp(getenv("DIES"), where) == 0) raise(SIGKILL);
}

int MPI_Init(int* argc, char*** argv) {
  die("init");
  if (getenv("DIES") && strcmp(getenv("DIES"), "init-exits") == 0) exit(5);
  return PMPI_Init(argc, argv);
}

int MPI_Barrier(MPI_Comm comm) {
  die("barrier");
  return PMPI_Barrier(comm);
}
