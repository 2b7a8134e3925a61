/* Broadcasts, reductions and allreductions whose results are known: every rank computes what it must get. Each rank
   prints how many results it looked at and how many were wrong.   shim [rounds] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim_cases.h"

int main(int argc, char** argv) {
  int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  make_types_and_operations();
  for (int round = 0; round < rounds; ++round) {
    everything_on(MPI_COMM_WORLD);
    MPI_Comm dup, part, reversed;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    everything_on(dup);
    everything_on(part);
    everything_on(reversed);
    everything_on(MPI_COMM_SELF);
    MPI_Comm_free(&dup);
    many_communicators(40);
    if (size > 1) between_groups(part);
    MPI_Comm_free(&part);
    MPI_Comm_free(&reversed);
  }
  complains();
  printf("rank %d: %ld results, %ld wrong\n", rank, results, wrong);
  free_types_and_operations();
  MPI_Finalize();
  return wrong != 0;
}
