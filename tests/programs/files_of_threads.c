/* Threads that write to a file that one of them opened, and to files of their own whose numbers are used again.  Each
   thread's transfers to its own files have a size of their own.   files_of_threads DIRECTORY */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 3, TOGETHER = 10, ALONE = 5 };

static int rank, together;
static const char* directory;
static char data[1000];
static pthread_barrier_t all;

static void must(int ok, const char* what) {
  if (ok) return;
  perror(what);
  MPI_Abort(MPI_COMM_WORLD, 9);
}

static void* work(void* which) {
  const long id = (long)which;
  char name[1024];
  MPI_Barrier(MPI_COMM_SELF); /* a thread that calls MPI has events */
  pthread_barrier_wait(&all);
  for (int i = 0; i < TOGETHER; ++i) must(pwrite(together, data, 100, id * 1000 + i * 100) == 100, "pwrite");
  pthread_barrier_wait(&all);
  for (int i = 0; i < ALONE; ++i) {
    snprintf(name, sizeof(name), "%s/own-%d-%ld-%d", directory, rank, id, i % 2);
    const int fd = open(name, O_CREAT | O_WRONLY, 0600);
    must(write(fd, data, (size_t)(10 + id)) == 10 + id, "write");
    close(fd);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int level;
  char name[1024];
  pthread_t threads[THREADS];
  directory = argc > 1 ? argv[1] : ".";
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof(name), "%s/together-%d", directory, rank);
  together = open(name, O_CREAT | O_RDWR | O_TRUNC, 0600);
  pthread_barrier_init(&all, NULL, THREADS);
  for (long i = 1; i < THREADS; ++i) must(pthread_create(&threads[i], NULL, work, (void*)i) == 0, "pthread_create");
  work(NULL);
  for (int i = 1; i < THREADS; ++i) pthread_join(threads[i], NULL);
  close(together);
  MPI_Finalize();
  return 0;
}
