// Rank 0 accepts rank 1 through a port, as two jobs would.  connected
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  char port[MPI_MAX_PORT_NAME] = "";
  int rank, mine, theirs = -1;
  MPI_Comm partner;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &partner);
  } else {
    MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &partner);
  }
  mine = 10 + rank;
  MPI_Sendrecv(&mine, 1, MPI_INT, 0, 2, &theirs, 1, MPI_INT, 0, 2, partner, MPI_STATUS_IGNORE);
  printf("rank %d: %d\n", rank, theirs);
  MPI_Comm_disconnect(&partner);
  if (rank == 0) MPI_Close_port(port);
  MPI_Finalize();
  return 0;
}
