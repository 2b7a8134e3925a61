// Programs that start others at the same time.  spawns SIZE...: rank r of n starts worlds of the sizes r, r + n, ... of
// the list, by itself, and all live until every one has started. The first rank of a started world of more than one
// starts one process more. Every process says that it is there; a started world makes three calls of MPI_Allreduce.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void start(char* program, char** arguments, int size, MPI_Comm* children) {
  MPI_Comm_spawn(program, arguments, size, MPI_INFO_NULL, 0, MPI_COMM_SELF, children, MPI_ERRCODES_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Comm parent, children[16];
  int rank, size, started = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    char* arguments[] = {"child", NULL};
    for (int i = 1 + rank; i < argc; i += size) start(argv[0], arguments, atoi(argv[i]), &children[started++]);
  } else {
    int sum = 0;
    for (int i = 0; i < 3; ++i) MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    char* arguments[] = {"last", NULL};
    if (rank == 0 && size > 1 && strcmp(argv[1], "child") == 0) start(argv[0], arguments, 1, &children[started++]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  printf("here\n");
  fflush(stdout);
  while (started) MPI_Comm_disconnect(&children[--started]);
  if (parent != MPI_COMM_NULL) MPI_Comm_disconnect(&parent);
  MPI_Finalize();
  return 0;
}
