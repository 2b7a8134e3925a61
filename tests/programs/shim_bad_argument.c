/* One rank alone passes an argument that makes no sense, and the errors are fatal.
   shim_bad_argument op|count|type */
#include <mpi.h>
#include <string.h>

int main(int argc, char** argv) {
  double from[600] = {0}, to[600] = {0};
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* wrong = argc > 1 && rank == 0 ? argv[1] : "";
  MPI_Allreduce(from, to, strcmp(wrong, "count") == 0 ? -1 : 600,
                strcmp(wrong, "type") == 0 ? MPI_DATATYPE_NULL : MPI_DOUBLE,
                strcmp(wrong, "op") == 0 ? MPI_OP_NULL : MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
