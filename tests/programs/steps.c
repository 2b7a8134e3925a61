// Time steps whose iterations a test looks at:
//   steps STEPS            the 409 calls of a model's step: 51 exchanges with both neighbours of a ring, an Allreduce
//   steps STEPS SLOW MS    the same; rank 1 computes for MS milliseconds in step SLOW
//   steps STEPS levels     rank 0 and 1 exchange eight times in a step, rank 1 and those above, a chain, once; no
//   collective steps STEPS chain      only neighbours of a line talk, without any collective; the higher the rank, the
//   more calls
//                          it makes beside that, and the ends have one neighbour
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { bytes = 1024, thirds = 17 };

static int rank, size;
static char in[2][bytes], out[2][bytes];

static __attribute__((noinline)) void exchange(void) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Request r[4];
  MPI_Irecv(in[0], bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(in[1], bytes, MPI_BYTE, right, 2, MPI_COMM_WORLD, &r[1]);
  MPI_Isend(out[0], bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &r[2]);
  MPI_Isend(out[1], bytes, MPI_BYTE, left, 2, MPI_COMM_WORLD, &r[3]);
  for (int i = 0; i < 4; ++i) MPI_Wait(&r[i], MPI_STATUS_IGNORE);
}

static void model_step(void) {
  for (int f = 0; f < thirds; ++f) exchange();
  for (int f = 0; f < thirds; ++f) exchange();
  for (int f = 0; f < thirds; ++f) exchange();
  double mine = 1, all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

// Towards the higher ranks a message, back three; and what nobody else sees.
static void chain_step(void) {
  if (rank == 0) usleep(20);  // some computation
  if (rank > 0) MPI_Recv(in[0], bytes, MPI_BYTE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank + 1 < size) MPI_Send(out[0], bytes, MPI_BYTE, rank + 1, 1, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) {
    if (rank + 1 < size) MPI_Recv(in[1], 64, MPI_BYTE, rank + 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > 0) MPI_Send(out[1], 64, MPI_BYTE, rank - 1, 2, MPI_COMM_WORLD);
  }
  for (int i = 0; i < 5 * rank; ++i) MPI_Send(out[0], 8, MPI_BYTE, MPI_PROC_NULL, i % 3, MPI_COMM_WORLD);
  MPI_Send(out[0], 8, MPI_BYTE, MPI_PROC_NULL, 9, MPI_COMM_WORLD);
}

// What rank 0 does is the same again and again: it can't see the steps.
static void levels_step(void) {
  for (int i = 0; i < 8 && rank < 2; ++i) {
    MPI_Sendrecv(out[0], 64, MPI_BYTE, 1 - rank, 3, in[0], 64, MPI_BYTE, 1 - rank, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  if (rank > 1) MPI_Recv(in[1], 64, MPI_BYTE, rank - 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank > 0 && rank + 1 < size) MPI_Send(out[1], 64, MPI_BYTE, rank + 1, 4, MPI_COMM_WORLD);
  if (rank > 0) MPI_Send(out[0], 8, MPI_BYTE, MPI_PROC_NULL, 5, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int steps = argc > 1 ? atoi(argv[1]) : 1000;
  const int chain = argc > 2 && strcmp(argv[2], "chain") == 0;
  const int levels = argc > 2 && strcmp(argv[2], "levels") == 0;
  const int slow = argc > 3 ? atoi(argv[2]) : -1;
  for (int i = 0; i < steps; ++i) {
    if (i == slow && rank == 1) usleep(1000 * (useconds_t)atoi(argv[3]));
    chain ? chain_step() : levels ? levels_step() : model_step();
  }
  MPI_Finalize();
  return 0;
}
