/* A thread that is busy only before MPI_Init returns, as those that libraries start for their connections. */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <time.h>

static sem_t done, end;

static void compute(int64_t ns) {
  struct timespec begin, t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while ((t.tv_sec - begin.tv_sec) * 1000000000 + t.tv_nsec - begin.tv_nsec < ns);
}

static void* help(void* unused) {
  compute(100000000);
  sem_post(&done);
  sem_wait(&end);
  return unused;
}

int main(int argc, char** argv) {
  pthread_t thread;
  sem_init(&done, 0, 0);
  sem_init(&end, 0, 0);
  pthread_create(&thread, NULL, help, NULL);
  sem_wait(&done);
  MPI_Init(&argc, &argv);
  for (int step = 0; step < 10; ++step) {
    compute(5000000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  sem_post(&end);
  pthread_join(thread, NULL);
  return 0;
}
