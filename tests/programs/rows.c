// Two ranks whose messages could be fewer or overlap: in each step two fields are exchanged one after another, two sums
// follow each other, one field is exchanged by blocking calls before both compute, and rank 0 collects.   rows STEPS
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { points = 100 };
static double out[points], in[points];
static int rank;

__attribute__((noinline)) static void swap(int n) {
  MPI_Request requests[2];
  MPI_Irecv(in, n, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, n, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  __asm__ volatile("");
}

__attribute__((noinline)) static void swap_two(void) {
  swap(points);
  swap(points / 2);
  __asm__ volatile("");
}

__attribute__((noinline)) static void sum_two(void) {
  double sums[2];
  MPI_Allreduce(out, &sums[0], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(out + 1, &sums[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  out[2] = sums[0] + sums[1];
}

__attribute__((noinline)) static void shift(void) {
  if (rank) {
    MPI_Recv(in, points, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, points, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
  } else {
    MPI_Send(out, points, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
    MPI_Recv(in, points, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  __asm__ volatile("");
}

__attribute__((noinline)) static void collect(void) {
  if (rank) {
    MPI_Send(out, points, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD);
  } else {
    MPI_Recv(in, points, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  __asm__ volatile("");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < atoi(argv[1]); ++step) {
    usleep(200);
    swap_two();
    sum_two();
    shift();
    usleep(200);
    collect();
  }
  MPI_Finalize();
}
