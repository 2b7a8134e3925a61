// A program that starts more of itself: two children, and a message to and from each.  spawned
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Comm parent, children;
  int rank, value;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    for (int child = 0; child < 2 && rank == 0; ++child) {
      value = 10 + child;
      MPI_Send(&value, 1, MPI_INT, child, 1, children);
      MPI_Recv(&value, 1, MPI_INT, child, 2, children, MPI_STATUS_IGNORE);
      printf("child %d answered %d\n", child, value);
    }
    MPI_Comm_disconnect(&children);
  } else {
    MPI_Recv(&value, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE);
    value *= 2;
    MPI_Send(&value, 1, MPI_INT, 0, 2, parent);
    MPI_Comm_disconnect(&parent);
  }
  MPI_Finalize();
  return 0;
}
