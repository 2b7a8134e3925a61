// Programs that start others at the same time.  spawns SIZE...: rank r of n starts worlds of the sizes r, r + n, ... of
// the list, by itself. The first rank of a started world of more than one starts one process more. None ends before all
// have started: a library may still be connecting them. Every process says that it is there; a started world makes
// three calls of MPI_Allreduce.
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
  const int is_first = parent == MPI_COMM_NULL;
  if (is_first) {
    char* arguments[] = {"child", NULL};
    for (int i = 1 + rank; i < argc; i += size) start(argv[0], arguments, atoi(argv[i]), &children[started++]);
  } else {
    int sum = 0;
    for (int i = 0; i < 3; ++i) MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    char* arguments[] = {"last", NULL};
    if (rank == 0 && size > 1 && strcmp(argv[1], "child") == 0) start(argv[0], arguments, 1, &children[started++]);
  }
  printf("here\n");
  fflush(stdout);
  // All beneath have started: upwards, then downwards.
  for (int i = 0; i < started; ++i) MPI_Recv(NULL, 0, MPI_INT, 0, 1, children[i], MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (!is_first && rank == 0) {
    MPI_Send(NULL, 0, MPI_INT, 0, 1, parent);
    MPI_Recv(NULL, 0, MPI_INT, 0, 2, parent, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < started; ++i) MPI_Send(NULL, 0, MPI_INT, 0, 2, children[i]);
  while (started) MPI_Comm_disconnect(&children[--started]);
  if (!is_first) MPI_Comm_disconnect(&parent);
  MPI_Finalize();
  return 0;
}
