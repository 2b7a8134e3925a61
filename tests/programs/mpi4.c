// Features new in MPI 4: persistent collectives, partitioned messages, Isendrecv, large counts.  mpi4 ROUNDS
// How often each function is called is known by construction: tests/recorder/test_mpi4.py.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { length = 12, partitions = 3 };

static int rank, size, left, right;
static double out[length], in[length], check;

static void persistent_collectives(void) {
  MPI_Request request;
  MPI_Allreduce_init(out, in, length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < 4; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check += in[0];
  }
  MPI_Request_free(&request);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

static void partitioned(void) {
  MPI_Request pair[2];
  int arrived;
  MPI_Psend_init(out, partitions, length / partitions, MPI_DOUBLE, right, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[0]);
  MPI_Precv_init(in, partitions, length / partitions, MPI_DOUBLE, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, pair);
    for (int p = 0; p < partitions; ++p) MPI_Pready(p, pair[0]);
    MPI_Parrived(pair[1], 0, &arrived);
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
    check += in[length - 1];
  }
  MPI_Request_free(&pair[0]);
  MPI_Request_free(&pair[1]);
}

static void exchanges(void) {
  MPI_Request request;
  for (int i = 0; i < 3; ++i) {
    MPI_Isendrecv(out, length, MPI_DOUBLE, right, 6, in, length, MPI_DOUBLE, left, 6, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check += in[1];
  }
}

#ifdef LARGE_COUNTS
// Counted as the functions whose forms they are.
static void large_counts(void) {
  MPI_Request request;
  const MPI_Count n = length;
  for (int i = 0; i < 5; ++i) {
    MPI_Irecv_c(in, n, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, &request);
    MPI_Send_c(out, n, MPI_DOUBLE, right, 7, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Allreduce_c(out, in, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  check += in[2];
}
#endif

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (rank + size - 1) % size;
  right = (rank + 1) % size;
  for (int i = 0; i < length; ++i) out[i] = rank + i;
  for (int round = 0; round < rounds; ++round) {
    persistent_collectives();
    partitioned();
    exchanges();
#ifdef LARGE_COUNTS
    large_counts();
#endif
  }
  printf("rank %d of %d: check %.17g\n", rank, size, check);
  MPI_Finalize();
  return 0;
}
