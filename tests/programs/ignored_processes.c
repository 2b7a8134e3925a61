// Rubbish where only the root's arguments count: processes are started and connected to.   On two ranks; a child's copy
// says nothing. The last rank is the root.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

static void part(MPI_Comm both) {
  MPI_Barrier(both);
  MPI_Comm_disconnect(&both);
}

int main(int argc, char** argv) {
  MPI_Comm parent, children;
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    part(parent);
    MPI_Finalize();
    return 0;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int root = size - 1, is_root = rank == root;
  const intptr_t rubbish = 0x10;
  char* command = is_root ? argv[0] : (char*)rubbish;
  char** arguments = is_root ? MPI_ARGV_NULL : (char**)rubbish;
  MPI_Info info = is_root ? MPI_INFO_NULL : (MPI_Info)rubbish;
  MPI_Comm_spawn(command, arguments, is_root ? 1 : 99, info, root, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  part(children);
  int most[1] = {1};
  MPI_Comm_spawn_multiple(is_root ? 1 : 99, is_root ? &command : (char**)rubbish,
                          is_root ? MPI_ARGVS_NULL : (char***)rubbish, is_root ? most : (int*)rubbish,
                          is_root ? &info : (MPI_Info*)rubbish, root, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  part(children);
  printf("rank %d: done\n", rank);
  MPI_Finalize();
  return 0;
}
