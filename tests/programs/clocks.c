// Messages whose order in time is known: ROUNDS times a token goes once around all ranks, from rank 0 back to it.
//   clocks ROUNDS               each round ends with an Allreduce
//   clocks ROUNDS any           receives from anybody, of any tag
//   clocks ROUNDS pauses        recording pauses in every tenth round, on higher ranks for longer
//   clocks ROUNDS ends-early    rank 1 ends before MPI_Finalize
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, size, token = 7;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  const int any = argc > 2 && strcmp(argv[2], "any") == 0, early = argc > 2 && strcmp(argv[2], "ends-early") == 0;
  const int pauses = argc > 2 && strcmp(argv[2], "pauses") == 0;
  const int before = (rank + size - 1) % size, next = (rank + 1) % size;
  for (int i = 0; i < rounds; ++i) {
    if (pauses && i % 10 == 5) {
      MPI_Pcontrol(0);
      usleep(20000 * (rank + 1));
      MPI_Pcontrol(1);
    }
    if (rank == 0) MPI_Send(&token, 1, MPI_INT, next, i % 3, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_INT, any ? MPI_ANY_SOURCE : before, any ? MPI_ANY_TAG : i % 3, MPI_COMM_WORLD, &status);
    if (status.MPI_SOURCE != before || status.MPI_TAG != i % 3 || token != 7)
      printf("rank %d: not our message\n", rank);
    if (rank != 0) MPI_Send(&token, 1, MPI_INT, next, i % 3, MPI_COMM_WORLD);
    int all;
    MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (all != size * (size - 1) / 2) printf("rank %d: a wrong sum\n", rank);
  }
  if (early && rank == 1) {
    fflush(stdout);
    _exit(0);
  }
  MPI_Finalize();
  if (rank == 0) puts("done");
  return 0;
}
