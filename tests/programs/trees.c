/* In each step, what rank 0 has goes to all ranks over a binomial tree of sends.   trees STEPS
   With -DHALVED, each level of the tree sends half as much as the one before: a scatter. With -DUP, what all have is
   combined on its way to rank 0; with -DBOTH, it then goes to all, as in a prefix sum. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 16384 };
static char data[BYTES];

static void step(int rank, int ranks) {
  int level = 1;
#if defined UP || defined BOTH
  static char other[BYTES];
  for (; level < ranks; level *= 2) {
    if (rank & level) {
      MPI_Send(data, BYTES, MPI_BYTE, rank - level, 6, MPI_COMM_WORLD);
      break;
    }
    MPI_Recv(other, BYTES, MPI_BYTE, rank + level, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < BYTES; ++i) data[i] = (char)(data[i] ^ other[i]);
  }
#endif
#ifndef UP
  for (level = 1; level < ranks && !(rank & level); level *= 2) {
  }
  if (rank) MPI_Recv(data, BYTES, MPI_BYTE, rank - level, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (level /= 2; level > 0; level /= 2) {
#ifdef HALVED
    const int bytes = BYTES / ranks * level;
#else
    const int bytes = BYTES;
#endif
    MPI_Send(data, bytes, MPI_BYTE, rank + level, 5, MPI_COMM_WORLD);
  }
#endif
}

/* The number of ranks is a power of two. */
int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int n = 0; n < atoi(argv[1]); ++n) {
    usleep(1000);
    step(rank, ranks);
  }
  MPI_Finalize();
  return 0;
}
