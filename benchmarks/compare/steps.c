/* steps STEPS WORK SLOW_RANK PERCENT BCAST_BYTES: arithmetic, a ring exchange, a broadcast and a sum in each step.
   SLOW_RANK does PERCENT more arithmetic than the others; -1: nobody does. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double computed(long rounds, double x) {
  for (long i = 0; i < rounds; ++i) x = x * 0.999999 + 1e-7;
  return x;
}

static void exchange(double* out, double* in, int n, int rank, int size) {
  MPI_Request requests[2];
  MPI_Irecv(in, n, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, n, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void spread(char* field, int bytes) { MPI_Bcast(field, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }

static double step(char* field, int bytes, double* faces, long rounds, int rank, int size) {
  double x = computed(rounds, faces[0]);
  exchange(faces, faces + 1024, 1024, rank, size);
  if (bytes > 0) spread(field, bytes);
  double sum = 0;
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 6) MPI_Abort(MPI_COMM_WORLD, 2);
  const int steps = atoi(argv[1]), slow = atoi(argv[3]), percent = atoi(argv[4]), bytes = atoi(argv[5]);
  long rounds = atol(argv[2]);
  if (rank == slow) rounds += rounds * percent / 100;
  double* faces = calloc(2048, sizeof(double));
  char* field = calloc((size_t)bytes + 1, 1);
  double sum = 0;
  for (int i = 0; i < steps; ++i) sum = step(field, bytes, faces, rounds, rank, size);
  if (rank == 0) printf("%.6g\n", sum);
  free(faces);
  free(field);
  MPI_Finalize();
  return 0;
}
