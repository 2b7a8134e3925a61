// Adds up ranks' ones, says where each ran, and does what its first argument asks:
//   sleep SECONDS
//   requeue FILE  makes the file and sleeps; where it is there already, goes on
//   kill          the last rank kills itself, and the others wait for it
//   spawn         starts two more of itself
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int asked_to(int argc, char** argv, const char* what) { return argc > 1 && strcmp(argv[1], what) == 0; }

// Others may be waiting in MPI for something that a library does only in calls.
static void sleep_in_mpi(int seconds) {
  for (int i = 0, found; i < 10 * seconds; ++i) {
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    usleep(100000);
  }
}

static void first_attempt(const char* file, int rank) {
  if (access(file, F_OK) == 0) return;
  if (rank == 0) {
    FILE* made = fopen(file, "w");
    if (made) fclose(made);
  }
  sleep_in_mpi(60);
}

static void start_more(char* program) {
  MPI_Comm children;
  char* arguments[] = {"spawned", NULL};
  MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  MPI_Barrier(children);
  MPI_Comm_disconnect(&children);
}

static void meet_those_who_started_us(void) {
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) return;
  MPI_Barrier(parent);
  MPI_Comm_disconnect(&parent);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, one = 1, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  printf("rank %d of %d on %s: %d\n", rank, size, host, sum);
  fflush(stdout);
  if (asked_to(argc, argv, "sleep")) sleep_in_mpi(atoi(argv[2]));
  if (asked_to(argc, argv, "requeue")) first_attempt(argv[2], rank);
  if (asked_to(argc, argv, "kill")) MPI_Barrier(MPI_COMM_WORLD);  // all have said that they are here
  if (asked_to(argc, argv, "kill") && rank == size - 1) raise(SIGKILL);
  if (asked_to(argc, argv, "spawn")) start_more(argv[0]);
  if (asked_to(argc, argv, "spawned")) meet_those_who_started_us();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
