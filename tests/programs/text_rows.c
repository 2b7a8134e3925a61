// STEPS steps of 20 exchanges and a barrier. In every tenth one, the first of which is number FIRST (9), rank 0 writes
// WRITES pieces of uneven sizes with stdio, as programs that print numbers do; then it sends a message that rank 1
// waits for.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void output(int rank, int writes) {
  static char piece[64];
  if (rank == 0) {
    FILE* f = fopen("rows.txt", "w");
    if (!f) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < writes; ++i) fwrite(piece, 1, 1 + (size_t)(rand() % 63), f);
    fclose(f);
    MPI_Send(piece, 8, MPI_CHAR, 1, 3, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv(piece, 8, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? atoi(argv[1]) : 40, writes = argc > 2 ? atoi(argv[2]) : 1000;
  const int first = argc > 3 ? atoi(argv[3]) : 9;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double mine = rank, theirs = 0;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < 20; ++i)
      MPI_Sendrecv(&mine, 1, MPI_DOUBLE, (rank + 1) % size, 1, &theirs, 1, MPI_DOUBLE, (rank + size - 1) % size, 1,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (step % 10 == first) output(rank, writes);
  }
  MPI_Finalize();
  return 0;
}
