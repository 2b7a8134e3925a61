// Uses MPI's tools interface and ends it, as profilers and codes that read their library's settings do:
//    tool_interface WAY
//      within   between MPI_Init and MPI_Finalize
//      around   from before MPI_Init until before MPI_Finalize
//      kept     begun twice and ended once
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  int provided, number = 0, rank, sum = 0, same = 0;
  const char* way = argc > 1 ? argv[1] : "within";
  if (strcmp(way, "around") == 0) MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(way, "around") != 0) MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  if (strcmp(way, "kept") == 0) MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_pvar_get_num(&number);
  MPI_T_finalize();
  MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_size(MPI_COMM_WORLD, &same);
  printf("rank %d: %s\n", rank, sum == same * number ? "same" : "different");
  MPI_Finalize();
  return 0;
}
