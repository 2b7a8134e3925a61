// The recorder's live file is shortened while it is mapped; and SIGBUS of the program's own.
//   lost_pages truncate       go on calling MPI after that
//   lost_pages handled        a handler of the program's own, installed by sigaction() or signal(), is called
//   lost_pages asked          a handler of another signal asks for the action while it is being changed
//   lost_pages forked         a process forks while another thread is changing the action
//   lost_pages default        the program's own fault ends it
#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int called;

static void with_information(int number, siginfo_t* info, void* context) {
  (void)context;
  called += number == SIGBUS && info->si_addr != NULL;
  siglongjmp(back, 1);
}

static void plain(int number) {
  called += number == SIGBUS;
  siglongjmp(back, 1);
}

// Reads a mapped page beyond the end of its file.
static void fault(void) {
  FILE* file = tmpfile();
  volatile char* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
  page[0] = 1;
}

static void steps(int n) {
  for (int i = 0; i < n; ++i) {
    int sent = i, got = -1;
    MPI_Sendrecv(&sent, 1, MPI_INT, 0, i % 1000, &got, 1, MPI_INT, 0, i % 1000, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    if (got != sent) exit(1);
  }
}

static void shorten_live_file(void) {
  char pattern[4096];
  glob_t found;
  const char* directory = getenv("LEADLINE_DIR");
  if (!directory) return;
  snprintf(pattern, sizeof(pattern), "%s/*.live", directory);
  if (glob(pattern, 0, NULL, &found) != 0) exit(2);
  if (chmod(found.gl_pathv[0], 0600) != 0 || truncate(found.gl_pathv[0], 0) != 0) exit(3);
}

static void handled(void) {
  struct sigaction action = {.sa_sigaction = with_information, .sa_flags = SA_SIGINFO}, now;
  signal(SIGBUS, SIG_DFL);  // Open MPI has a handler
  if (sigaction(SIGBUS, NULL, &now) != 0 || now.sa_handler != SIG_DFL) exit(4);
  sigaction(SIGBUS, &action, &now);
  if (now.sa_handler != SIG_DFL) exit(5);
  if (sigsetjmp(back, 1) == 0) fault();
  if (signal(SIGBUS, plain) != (void (*)(int))with_information) exit(6);
  sigaction(SIGBUS, NULL, &now);
  if (now.sa_handler != plain || (now.sa_flags & SA_SIGINFO)) exit(7);
  if (sigsetjmp(back, 1) == 0) fault();
  shorten_live_file();
}

static pthread_t asking;
static volatile int asked;

static void ask(int number) {
  struct sigaction now;
  (void)number;
  if (sigaction(SIGBUS, NULL, &now) != 0) _exit(8);
  ++asked;
}

static void* interrupt(void* of) {
  for (int i = 0; i < 20000; ++i) {
    pthread_kill(asking, SIGUSR1);
  }
  *(volatile int*)of = 1;
  return NULL;
}

// The thread hardly does anything but change the action, so it is there that it is interrupted.
static void asked_within(void) {
  struct sigaction asks = {.sa_handler = ask}, action = {.sa_handler = plain}, now;
  static volatile int over;
  pthread_t other;
  asking = pthread_self();
  sigaction(SIGUSR1, &asks, NULL);
  pthread_create(&other, NULL, interrupt, (void*)&over);
  while (!over) {
    if (sigaction(SIGBUS, &action, &now) != 0) exit(9);
  }
  pthread_join(other, NULL);
  if (now.sa_handler != plain || !asked) exit(10);
}

static volatile int forked_enough;

static void* change(void* unused) {
  struct sigaction action = {.sa_handler = plain};
  while (!forked_enough) sigaction(SIGBUS, &action, NULL);
  return unused;
}

// Many of the children begin while the other thread, which they do not have, is within sigaction().
static void forked_within(void) {
  struct sigaction now;
  pthread_t other;
  signal(SIGBUS, plain);
  pthread_create(&other, NULL, change, NULL);
  for (int i = 0; i < 200; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);
      _exit(sigaction(SIGBUS, NULL, &now) != 0 || now.sa_handler != plain);
    }
    int status = -1;
    if (waitpid(child, &status, 0) != child || status != 0) exit(11);
  }
  forked_enough = 1;
  pthread_join(other, NULL);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  steps(2000);
  if (strcmp(how, "truncate") == 0) shorten_live_file();
  if (strcmp(how, "handled") == 0) handled();
  if (strcmp(how, "asked") == 0) asked_within();
  if (strcmp(how, "forked") == 0) forked_within();
  if (strcmp(how, "default") == 0) {
    signal(SIGBUS, SIG_DFL);
    fault();
  }
  steps(20000);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  printf("all steps, %d handled\n", called);
  return 0;
}
