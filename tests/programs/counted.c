// Traffic that is easily counted wrongly, every number known by construction (tests/recorder/test_counted.py).
//   counted wrong | refused | ignored | neighbours | files NAME | cancelled | lost | starts | duplicates N
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size;
static char small[600], large[63000];

// Four calls that the library refuses and one that it takes.
static void refused(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int other = 1 - rank;
  MPI_Request request;
  int errors = 0;
  errors += MPI_Send(small, 10, MPI_CHAR, 99, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
  errors += MPI_Send(small, -3, MPI_CHAR, other, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
  errors += MPI_Isend(small, 10, MPI_CHAR, 99, 0, MPI_COMM_WORLD, &request) != MPI_SUCCESS;
  errors += MPI_Recv(small, -3, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS;
  if (rank == 0) MPI_Send(small, 10, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(small, 10, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("rank %d: %d errors\n", rank, errors);
}

// 60 messages of 600 bytes, received into 63,000 without a status, in every way.
static void ignored(void) {
  enum { ways = 6, each = 10 };
  for (int i = 0; i < ways * each; ++i) {
    if (rank == 0) MPI_Send(small, 600, MPI_CHAR, 1, i / each, MPI_COMM_WORLD);
  }
  MPI_Request r[each];
  int done, index, indices[each];
  for (int i = 0; i < each && rank == 1; ++i) {
    MPI_Recv(large, 63000, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(NULL, 0, MPI_CHAR, MPI_PROC_NULL, 0, large, 63000, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(large, 63000, MPI_CHAR, 0, 2, MPI_COMM_WORLD, r);
    MPI_Wait(r, MPI_STATUS_IGNORE);
    MPI_Irecv(large, 63000, MPI_CHAR, MPI_PROC_NULL, 2, MPI_COMM_WORLD, r);
    MPI_Wait(r, MPI_STATUS_IGNORE);
    MPI_Irecv(large, 63000, MPI_CHAR, 0, 4, MPI_COMM_WORLD, r);
    MPI_Waitany(1, r, &index, MPI_STATUS_IGNORE);
    MPI_Irecv(large, 63000, MPI_CHAR, 0, 5, MPI_COMM_WORLD, r);
    do MPI_Testsome(1, r, &done, indices, MPI_STATUSES_IGNORE);
    while (!done);
  }
  for (int i = 0; i < each && rank == 1; ++i) MPI_Irecv(large, 63000, MPI_CHAR, 0, 3, MPI_COMM_WORLD, &r[i]);
  if (rank == 1) MPI_Waitall(each, r, MPI_STATUSES_IGNORE);
}

// A grid of 2 x 2 that is not periodic: each rank has two neighbours and two that are MPI_PROC_NULL.
static void neighbours(void) {
  const int dims[2] = {2, 2}, periods[2] = {0, 0};
  int in[40], out[40], counts[4] = {1, 2, 3, 4}, places[4] = {0, 10, 20, 30};
  memset(out, 0, sizeof out);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Neighbor_alltoall(out, 5, MPI_INT, in, 5, MPI_INT, grid);
  MPI_Neighbor_allgather(out, 5, MPI_INT, in, 5, MPI_INT, grid);
  for (int i = 0; i < 4; ++i) counts[i] = 2;
  MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, grid);
  MPI_Comm_free(&grid);
}

// Reads of 4,000 bytes from a file of 550, whose status the program takes or ignores.
static void files(const char* name) {
  MPI_File f;
  MPI_Status status;
  MPI_Request r;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  if (rank == 0) MPI_File_write_at(f, 0, small, 550, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_sync(f);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(f);
#ifdef OPEN_MPI  // whose nonblocking reads never end at the end of a file
  const int first = 550, second = 50;
#else
  const int first = 4000, second = 4000;
#endif
  MPI_File_iread_at(f, 0, large, first, MPI_CHAR, &r);
  MPI_Wait(&r, &status);
  MPI_File_iread_at(f, 500, large, second, MPI_CHAR, &r);
  MPI_Waitall(1, &r, MPI_STATUSES_IGNORE);
  MPI_File_read_at_all_begin(f, 0, large, first, MPI_CHAR);
  MPI_File_read_at_all_end(f, large, MPI_STATUS_IGNORE);
  MPI_File_read_at(f, 0, large, 4000, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&f);
}

// Two messages that nobody receives (MPICH complains of that in MPI_Finalize).
static void lost(void) {
  for (int i = 0; i < 2 && rank == 0; ++i) MPI_Send(small, 8, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

// A message, and three receives that are cancelled.
static void cancelled(void) {
  MPI_Request r[2];
  if (rank == 0) {
    MPI_Send(small, 8, MPI_CHAR, 1, 8, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv(small, 8, MPI_CHAR, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(small, 8, MPI_CHAR, 0, 9, MPI_COMM_WORLD, &r[0]);
    MPI_Cancel(&r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; ++i) {
      MPI_Irecv(small, 8, MPI_CHAR, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &r[i]);
      MPI_Cancel(&r[i]);
    }
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  }
}

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
// A hundred starts of two requests.
static void starts(void) {
  int one = 1, sum = 0;
  MPI_Request r[2];
  MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
  MPI_Bcast_init(small, 20, MPI_CHAR, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
  for (int i = 0; i < 25; ++i) {
    MPI_Start(&r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Start(&r[1]);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
}
#endif

// Communicators without end; a message over a duplicate of a duplicate.
static void duplicates(int n) {
  MPI_Comm* made = malloc(sizeof(MPI_Comm) * (size_t)n);
  const clock_t begin = clock();
  for (int i = 0; i < n; ++i) MPI_Comm_dup(MPI_COMM_SELF, &made[i]);
  const double took = (double)(clock() - begin) / CLOCKS_PER_SEC;
  for (int i = 0; i < n; ++i) MPI_Comm_free(&made[i]);
  fprintf(stderr, "%.3f us of a processor each\n", 1e6 * took / n);
  if (size == 1) return;
  MPI_Comm a, b;
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  MPI_Comm_dup(a, &b);
  MPI_Sendrecv(small, 5, MPI_CHAR, 1 - rank, 0, large, 5, MPI_CHAR, 1 - rank, 0, b, MPI_STATUS_IGNORE);
  MPI_Comm_free(&a);
  MPI_Comm_free(&b);
  free(made);
}

// The default error handler ends the program here.
static void wrong(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(small, 10, MPI_CHAR, 99, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "wrong")) wrong();
  if (!strcmp(how, "refused")) refused();
  if (!strcmp(how, "ignored")) ignored();
  if (!strcmp(how, "neighbours")) neighbours();
  if (!strcmp(how, "files")) files(argv[2]);
  if (!strcmp(how, "cancelled")) cancelled();
  if (!strcmp(how, "lost")) lost();
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
  if (!strcmp(how, "starts")) starts();
#endif
  if (!strcmp(how, "duplicates")) duplicates(atoi(argv[2]));
  MPI_Finalize();
  return 0;
}
