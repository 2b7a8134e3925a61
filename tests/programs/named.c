// A program in which everything that can have a name has one that begins with "private": for what a copy leaves out.
#include <mpi.h>
#include <stdio.h>

#include "leadline.h"

enum { repeats = 50 };

static void private_routine(int rank, int size) {
  for (int i = 0; i < repeats; ++i) {
    int mine = rank, sum = 0;
    MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 7, &sum, 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}

// argv[1]: a file to write.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm named;
  MPI_Comm_dup(MPI_COMM_WORLD, &named);
  MPI_Comm_set_name(named, "private_communicator");
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_set_name(type, "private_type");
  MPI_Type_commit(&type);
  int three[3] = {1, 2, 3};
  MPI_Bcast(three, 1, type, 0, named);
  FILE* file = rank == 0 && argc > 1 ? fopen(argv[1], "w") : NULL;
  if (file) {
    fprintf(file, "%d\n", size);
    fclose(file);
  }
  leadline_region_begin("private_region");
  private_routine(rank, size);
  leadline_region_end("private_region");
  MPI_Type_free(&type);
  MPI_Comm_free(&named);
  MPI_Finalize();
  return 0;
}
