// Children made in every way, and programs in place of the program.
#include <spawn.h>
#include <sys/wait.h>

extern char** environ;

static int code_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

// A child that asks MPI what is always allowed to ask, then goes on by itself and leaves a file.
static pid_t asking_child(void) {
  const pid_t child = fork();
  if (child != 0) return child;
  int flag = 0;
  MPI_Initialized(&flag);
  if (fork() == 0) {  // the daemon
    setsid();
    char name[4096];
    snprintf(name, sizeof name, "%s.%d", file_name, rank);
    FILE* f = fopen(name, "w");
    fprintf(f, "initialized %d\n", flag);
    exit(fclose(f) == 0 ? 0 : 1);
  }
  int status;
  wait(&status);
  exit(20 + flag);
}

static void with_spawned_children(int steps) {
  int codes[5];
  char* shell[] = {"sh", "-c", "exit 31", NULL};
  traffic(steps);
  fflush(stdout);
  codes[0] = code_of(asking_child());
  traffic(steps);
  pid_t child = vfork();
  if (child == 0) {
    execv("/bin/sh", shell);
    _exit(99);
  }
  codes[1] = code_of(child);
  traffic(steps);
  codes[2] = posix_spawn(&child, "/bin/sh", NULL, NULL, shell, environ) == 0 ? code_of(child) : -1;
  traffic(steps);
  codes[3] = WEXITSTATUS(system("exit 32"));
  FILE* pipe = popen("exit 33", "r");
  codes[4] = WEXITSTATUS(pclose(pipe));
  traffic(steps);
  printf("rank %d: children %d %d %d %d %d\n", rank, codes[0], codes[1], codes[2], codes[3], codes[4]);
}

// Before MPI_Init, but after the recorder has been called. The parent waits, as a launcher would.
static void become_daemon(int steps) {
  (void)steps;
  int flag;
  MPI_Initialized(&flag);
  const pid_t child = fork();
  if (child != 0) _exit(code_of(child));
}

// A first life as far as MPI_Init, without an end; then another one with the same process id.
static void execute_itself(int steps) {
  (void)steps;
  traffic(10);
  printf("rank %d: again\n", rank);
  fflush(stdout);
  arguments[1] = "plain";
  execv("/proc/self/exe", arguments);
}
