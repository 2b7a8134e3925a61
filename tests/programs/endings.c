// A loop of messages that ends in one of the ways programs end: endings HOW STEPS
//   finish     as it should           return     main returns 4, no MPI_Finalize      exit      exit(3) without it
//   abort      rank 1 calls MPI_Abort(7)         killed    kill -9 of rank 1          all-killed    of all
//   segfault   of rank 1              after      calls that are allowed after MPI_Finalize      never     no MPI_Init
//   fork       children that end by _exit, by exit and by exec, while the parents go on
//   signals    an interval timer interrupts the calls all the time
//   errors     an error handler that returns    jump     one that leaves by longjmp
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { length = 100 };

static int rank, size;
static double out[length], in[length], sum;
static volatile sig_atomic_t signals_seen;
static int errors_seen;
static jmp_buf out_of_handler;

static void step(int i, MPI_Comm comm) {
  MPI_Request request;
  for (int j = 0; j < length; ++j) out[j] = rank + i + j;
  MPI_Irecv(in, length, MPI_DOUBLE, (rank + size - 1) % size, i % 8, comm, &request);
  MPI_Send(out, length, MPI_DOUBLE, (rank + 1) % size, i % 8, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int j = 0; j < length; ++j) sum += in[j];
}

static void steps(int n) {
  for (int i = 0; i < n; ++i) step(i, MPI_COMM_WORLD);
}

static void seen(int number) {
  (void)number;
  ++signals_seen;
}

static void interrupted(int n) {
  struct sigaction action;
  const struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
  memset(&action, 0, sizeof action);
  action.sa_handler = seen;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
  steps(n);
  for (int i = 0; signals_seen < 20 && i < 100; ++i) usleep(1000);
  setitimer(ITIMER_REAL, &never, NULL);
  struct sigaction now;
  sigaction(SIGALRM, NULL, &now);
  printf("rank %d: signals %s, handler %s\n", rank, signals_seen >= 20 ? "came" : "missing",
         now.sa_handler == seen ? "kept" : "lost");
}

static void with_children(int n) {
  int codes[3] = {0, 0, 0};
  for (int i = 0; i < 3; ++i) {
    steps(n / 4);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      if (i == 0) _exit(10);
      if (i == 1) exit(11);
      execl("/bin/sh", "sh", "-c", "exit 12", (char*)NULL);
      _exit(99);
    }
    int status = 0;
    waitpid(child, &status, 0);
    codes[i] = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  steps(n - 3 * (n / 4));
  printf("rank %d: children ended with %d %d %d\n", rank, codes[0], codes[1], codes[2]);
}

static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  ++errors_seen;
}

static void leaving_handler(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  ++errors_seen;
  longjmp(out_of_handler, 1);
}

static void with_errors(int n, int leave) {
  MPI_Errhandler made;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(leave ? leaving_handler : handler, &made);
  MPI_Comm_set_errhandler(comm, made);
  for (volatile int i = 0; i < n; ++i) {
    if (i % 10 == 3 && setjmp(out_of_handler) == 0) MPI_Send(out, 1, MPI_DOUBLE, size + 7, 0, comm);
    step(i, comm);
  }
  MPI_Errhandler_free(&made);
  MPI_Comm_free(&comm);
  printf("rank %d: %d errors handled\n", rank, errors_seen);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "finish";
  const int n = argc > 2 ? atoi(argv[2]) : 1000;
  int flag = 0;
  if (strcmp(how, "never") == 0) {
    MPI_Initialized(&flag);
    printf("initialized: %d\n", flag);
    return 0;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(how, "fork") == 0)
    with_children(n);
  else if (strcmp(how, "signals") == 0)
    interrupted(n);
  else if (strcmp(how, "errors") == 0)
    with_errors(n, 0);
  else if (strcmp(how, "jump") == 0)
    with_errors(n, 1);
  else
    steps(n);
  printf("rank %d of %d: sum %.17g\n", rank, size, sum);
  fflush(stdout);
  if (strcmp(how, "return") == 0) return 4;
  if (strcmp(how, "exit") == 0) exit(3);
  if (strcmp(how, "abort") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(how, "killed") == 0 && rank == 1) kill(getpid(), SIGKILL);
  if (strcmp(how, "all-killed") == 0) kill(getpid(), SIGKILL);
  if (strcmp(how, "segfault") == 0 && rank == 1) raise(SIGSEGV);
  if (strcmp(how, "abort") == 0 || strcmp(how, "killed") == 0 || strcmp(how, "segfault") == 0)
    MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (strcmp(how, "after") == 0) {
    int major, minor, finalized;
    MPI_Initialized(&flag);
    MPI_Finalized(&finalized);
    MPI_Get_version(&major, &minor);
    printf("rank %d: initialized %d finalized %d version %s\n", rank, flag, finalized,
           major >= 3 ? "known" : "unknown");
  }
  return 0;
}
