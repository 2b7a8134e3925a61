/* Nonblocking collectives, and persistent ones where the library has them, with known results: three of each.
   Prints how many were wrong. */
#include <mpi.h>
#include <stdio.h>

enum { times = 3, count = 10, most = 64 };

int main(int argc, char** argv) {
  int rank, size, wrong = 0, from[most * count], to[most * count], lengths[most];
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < size; ++i) lengths[i] = i % 2 ? 0 : count;
  for (int i = 0; i < size * count; ++i) from[i] = rank + i;
  for (int time = 0; time < times; ++time) {
    MPI_Iallreduce(from, to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i) wrong += to[i] != size * i + size * (size - 1) / 2;
    MPI_Ialltoall(from, count, MPI_INT, to, count, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < size * count; ++i) wrong += to[i] != i / count + rank * count + i % count;
    MPI_Ireduce_scatter(from, to, lengths, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < lengths[rank]; ++i) wrong += to[i] != size - 1 + rank / 2 * count + i;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
#if MPI_VERSION >= 4
  MPI_Bcast_init(from, count, MPI_INT, size - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int time = 0; time < times; ++time) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i) wrong += from[i] != size - 1 + i;
  }
  MPI_Request_free(&request);
#endif
  printf("wrong: %d, %s\n", wrong, MPI_VERSION >= 4 ? "with persistent ones" : "without persistent ones");
  MPI_Finalize();
  return wrong != 0;
}
