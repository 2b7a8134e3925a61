// Counts beyond 2^31: to MPI_PROC_NULL, of a type without data, and within one process.  large
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  const MPI_Count many = ((MPI_Count)1 << 31) + 8;
  MPI_Datatype nothing;
  int rank;
  static char byte;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_contiguous(0, MPI_CHAR, &nothing);
  MPI_Type_commit(&nothing);
  MPI_Send_c(&byte, many, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Sendrecv_c(&byte, many, nothing, 1 - rank, 1, &byte, many, nothing, 1 - rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  MPI_Bcast_c(&byte, many, MPI_CHAR, 0, MPI_COMM_SELF);
  MPI_Type_free(&nothing);
  printf("rank %d: done\n", rank);
  MPI_Finalize();
  return 0;
}
