// Adds up ranks' ones, says where each ran, and does what its first argument asks: "sleep" seconds.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, one = 1, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  printf("rank %d of %d on %s: %d\n", rank, size, host, sum);
  fflush(stdout);
  if (argc > 2 && strcmp(argv[1], "sleep") == 0) sleep((unsigned)atoi(argv[2]));
  if (argc > 2 && strcmp(argv[1], "requeue") == 0 && access(argv[2], F_OK) != 0) {
    // The first attempt: until it is taken away and put into the queue again.
    if (rank == 0) {
      FILE* file = fopen(argv[2], "w");
      if (file) fclose(file);
    }
    sleep(60);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
