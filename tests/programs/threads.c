// Four threads communicate at once, each in a communicator of its own: threads STEPS
// Each thread, per step: MPI_Irecv, MPI_Send, MPI_Wait; every 10th step MPI_Allreduce.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { threads = 4, length = 32 };

typedef struct {
  MPI_Comm comm;
  int number, steps;
  double sum;
} Work;

static int rank, size;

static void* run(void* argument) {
  Work* work = argument;
  double out[length], in[length], part, total;
  for (int i = 0; i < work->steps; ++i) {
    MPI_Request request;
    for (int j = 0; j < length; ++j) out[j] = rank + i + j + work->number;
    MPI_Irecv(in, length, MPI_DOUBLE, (rank + size - 1) % size, work->number, work->comm, &request);
    MPI_Send(out, length, MPI_DOUBLE, (rank + 1) % size, work->number, work->comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    part = in[0];
    if (i % 10 == 0) {
      MPI_Allreduce(&part, &total, 1, MPI_DOUBLE, MPI_SUM, work->comm);
      work->sum += total;
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 100;
  int provided;
  pthread_t ids[threads];
  Work work[threads];
  double sum = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (provided < MPI_THREAD_MULTIPLE) {
    if (rank == 0) printf("threads are not supported\n");
    MPI_Finalize();
    return 0;
  }
  for (int i = 0; i < threads; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &work[i].comm);
    work[i].number = i;
    work[i].steps = steps;
    work[i].sum = 0;
  }
  for (int i = 0; i < threads; ++i) pthread_create(&ids[i], NULL, run, &work[i]);
  for (int i = 0; i < threads; ++i) {
    pthread_join(ids[i], NULL);
    sum += work[i].sum;
    MPI_Comm_free(&work[i].comm);
  }
  printf("rank %d: sum %.17g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
