/* One rank passes a different count to a collective. Prints the result code and whether the data are right on every
   rank; after each such call, a correct one of every kind and its results.   shim_lengths [fatal] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { room = 5000 };

static int rank, size, wrong;
static int data[room], result[room];

static void fill(int own) {
  for (int i = 0; i < room; ++i) {
    data[i] = own ? i + 1 : -7;
    result[i] = -7;
  }
}

static char told(int error) {
  int class = MPI_SUCCESS;
  MPI_Error_class(error, &class);
  return class == MPI_SUCCESS ? '-' : class == MPI_ERR_TRUNCATE ? 'T' : class == MPI_ERR_OTHER ? 'O' : '?';
}

static void all_is_right(MPI_Comm comm) {
  const int root = size - 1;
  fill(rank == root);
  if (MPI_Bcast(data, 777, MPI_INT, root, comm) != MPI_SUCCESS) ++wrong;
  for (int i = 0; i < 777; ++i) wrong += data[i] != i + 1;
  fill(1);
  if (MPI_Reduce(data, result, 555, MPI_INT, MPI_SUM, 0, comm) != MPI_SUCCESS) ++wrong;
  for (int i = 0; i < 555 && rank == 0; ++i) wrong += result[i] != size * (i + 1);
  fill(1);
  if (MPI_Allreduce(data, result, 333, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS) ++wrong;
  for (int i = 0; i < 333; ++i) wrong += result[i] != size * (i + 1);
}

/* others, odd: elements of the other ranks and of the odd one. */
static void mismatched(MPI_Comm comm, char operation, int others, int odd_rank, int odd) {
  const int count = rank == odd_rank ? odd : others, least = odd < others ? odd : others;
  int error = MPI_SUCCESS, right = 1;
  char mine[2], all[2 * 64], line[64 + 1] = "";
  fill(operation != 'b' || rank == 0);
  if (operation == 'b') error = MPI_Bcast(data, count, MPI_INT, 0, comm);
  if (operation == 'r') error = MPI_Reduce(data, result, count, MPI_INT, MPI_SUM, 0, comm);
  if (operation == 'a') error = MPI_Allreduce(data, result, count, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < least; ++i) {
    if (operation == 'b') right = right && data[i] == i + 1;
    if (operation == 'a' || (operation == 'r' && rank == 0)) right = right && result[i] == size * (i + 1);
  }
  /* What is beyond a rank's own count is not touched. */
  for (int i = count; i < room; ++i) right = right && (operation == 'b' && rank ? data[i] : result[i]) == -7;
  mine[0] = told(error);
  mine[1] = right ? '+' : '-';
  MPI_Gather(mine, 2, MPI_CHAR, all, 2, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) {
    line[i] = all[2 * i];
    if (all[2 * i] == '-' && all[2 * i + 1] == '-') line[i] = 'X'; /* success, and wrong data */
  }
  if (rank == 0) printf("%c %d %d %d %s\n", operation, others, odd_rank, odd, line);
  all_is_right(comm);
}

int main(int argc, char** argv) {
  const int counts[][2] = {{100, 200}, {200, 100}, {400, 900}, {900, 400}};
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  alarm(60);
  if (argc > 1) {
    MPI_Bcast(data, rank ? 10 : 20, MPI_INT, 0, comm);
    if (rank) printf("rank %d goes on\n", rank);
    pause();
  }
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (unsigned i = 0; i < sizeof counts / sizeof *counts; ++i) {
    for (const char* operation = "bra"; *operation; ++operation) {
      mismatched(comm, *operation, counts[i][0], 0, counts[i][1]);
      mismatched(comm, *operation, counts[i][0], 1, counts[i][1]);
    }
  }
  printf("rank %d: %d wrong\n", rank, wrong);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
