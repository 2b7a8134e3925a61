/* File I/O in awkward places: in threads, in signal handlers, in children, in destructors, with a cancelled thread.

   files_hostile DIRECTORY */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, WRITES = 500, PIECE = 64 };

static int rank;
static char* directory;
static int signal_file;
/* Atomic: the library's own threads take some of the signals, at times while the main thread is in the handler too. */
static atomic_long signals, in_handler;
static atomic_int stormy;

static void must(int ok, const char* what) {
  if (ok) return;
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, strerror(errno));
  MPI_Abort(MPI_COMM_WORLD, 9);
}

static int make(const char* name) {
  char path[1024];
  snprintf(path, sizeof(path), "%s/%s-%d", directory, name, rank);
  const int fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0644);
  must(fd >= 0, path);
  return fd;
}

static void* write_many(void* file) {
  char piece[PIECE] = {0};
  for (int i = 0; i < WRITES; ++i) must(write(*(int*)file, piece, PIECE) == PIECE, "write");
  return NULL;
}

/* Each thread its own file. */
static void threads(void) {
  pthread_t thread[THREADS];
  int file[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    char name[32];
    snprintf(name, sizeof(name), "thread%d", i);
    file[i] = make(name);
    pthread_create(&thread[i], NULL, write_many, &file[i]);
  }
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(thread[i], NULL);
    close(file[i]);
  }
}

static void on_signal(int number) {
  (void)number;
  const int saved = errno;
  ++in_handler;
  if (stormy && write(signal_file, "!", 1) == 1) ++signals;
  --in_handler;
  errno = saved;
}

/* A handler writes to a file while files are opened, written and closed. */
static void storm(void) {
  signal_file = make("signals");
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
  stormy = 1;
  setitimer(ITIMER_REAL, &often, NULL);
  char piece[PIECE] = {0};
  for (int i = 0; i < 300; ++i) {
    char name[32];
    snprintf(name, sizeof(name), "storm%d", i % 7);
    const int fd = make(name);
    must(write(fd, piece, PIECE) == PIECE, "write");
    close(fd);
    FILE* f = fopen("/dev/null", "w");
    fprintf(f, "%d\n", i);
    fclose(f);
    MPI_Barrier(MPI_COMM_SELF);
  }
  setitimer(ITIMER_REAL, &never, NULL);
  /* Another thread may still be in the handler, or come to it later: it then finds no storm. */
  stormy = 0;
  while (in_handler) usleep(1000);
  must(lseek(signal_file, 0, SEEK_END) == signals, "bytes of the handler");
  close(signal_file);
}

/* What children do is their own. */
static void children(void) {
  const int fd = make("parent");
  must(write(fd, "parent", 6) == 6, "write");
  const pid_t forked = fork();
  if (forked == 0) _exit(write(fd, "child", 5) == 5 && close(fd) == 0 ? 0 : 1);
  int status = 1;
  must(waitpid(forked, &status, 0) == forked && status == 0, "fork");
  const pid_t sharing = vfork();
  if (sharing == 0) {
    close(fd);
    execl("/bin/true", "true", (char*)NULL);
    _exit(1);
  }
  must(waitpid(sharing, &status, 0) == sharing && status == 0, "vfork");
  must(write(fd, "again", 5) == 5, "write after vfork");
  close(fd);
}

static void* read_for_ever(void* pipe_end) {
  char byte;
  while (read(*(int*)pipe_end, &byte, 1) >= 0) {
  }
  return NULL;
}

static void cancellation(void) {
  int ends[2];
  pthread_t thread;
  void* result = NULL;
  must(pipe(ends) == 0, "pipe");
  pthread_create(&thread, NULL, read_for_ever, &ends[0]);
  usleep(1000);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  must(result == PTHREAD_CANCELED, "cancellation");
  close(ends[0]);
  close(ends[1]);
}

int main(int argc, char** argv) {
  int level;
  directory = argc > 1 ? argv[1] : ".";
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  threads();
  storm();
  children();
  cancellation();
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d: well\n", rank);
  MPI_Finalize();
  return 0;
}
