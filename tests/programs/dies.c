// A program that ends at its start: DIES=constructor, after, abort, exit; in the calls that dies_tool.c has, else.
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int dies(const char* where) { return getenv("DIES") && strcmp(getenv("DIES"), where) == 0; }

__attribute__((constructor)) static void early(void) {
  int flag;
  MPI_Initialized(&flag);
  if (dies("constructor")) abort();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (dies("after")) raise(SIGKILL);
  if (dies("abort")) MPI_Abort(MPI_COMM_WORLD, 3);
  if (dies("exit")) return 4;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
