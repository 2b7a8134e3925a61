/* Threads with a communicator each, all in collectives at once: the results are known. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { threads = 4, rounds = 60, numbers = 300 };
static int rank, size, wrong[threads];
static MPI_Comm comms[threads];

static void* work(void* argument) {
  const int me = *(int*)argument;
  for (int round = 0; round < rounds; ++round) {
    int data[numbers], sum[numbers];
    const int root = round % size;
    for (int i = 0; i < numbers; ++i) data[i] = rank == root ? i + me * round : -1;
    MPI_Bcast(data, numbers, MPI_INT, root, comms[me]);
    for (int i = 0; i < numbers; ++i) wrong[me] += data[i] != i + me * round;
    MPI_Allreduce(data, sum, numbers, MPI_INT, MPI_SUM, comms[me]);
    for (int i = 0; i < numbers; ++i) wrong[me] += sum[i] != size * (i + me * round);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided, all = 0, number[threads];
  pthread_t ids[threads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (provided < MPI_THREAD_MULTIPLE) {
    printf("rank %d: 0 wrong\n", rank);
    return MPI_Finalize();
  }
  for (int i = 0; i < threads; ++i) {
    number[i] = i;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  }
  for (int i = 0; i < threads; ++i) pthread_create(&ids[i], NULL, work, &number[i]);
  for (int i = 0; i < threads; ++i) pthread_join(ids[i], NULL);
  for (int i = 0; i < threads; ++i) all += wrong[i];
  for (int i = 1; i < threads; ++i) MPI_Comm_free(&comms[i]); /* the first is left to MPI_Finalize */
  printf("rank %d: %d wrong\n", rank, all);
  MPI_Finalize();
  return all != 0;
}
