/* A rank with a second thread that calls no MPI function and writes all the time, as one that writes logs does. */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int stop, written;

static void* write_all_the_time(void* unused) {
  const int file = open("log.txt", O_CREAT | O_WRONLY | O_TRUNC, 0600);
  while (!stop) {
    if (write(file, "a line\n", 7) == 7) ++written;
    usleep(100);
  }
  close(file);
  return unused;
}

int main(int argc, char** argv) {
  int level;
  double mine = 1, sum;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  pthread_create(&thread, NULL, write_all_the_time, NULL);
  for (int step = 0; step < 200 || written < 500; ++step) {
    usleep(500);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  stop = 1;
  pthread_join(thread, NULL);
  MPI_Finalize();
  return 0;
}
