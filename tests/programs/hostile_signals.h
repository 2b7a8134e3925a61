// Signals at any moment.
#include <sys/time.h>

static volatile sig_atomic_t seen;
static int signal_pipe[2];
static char* own_stack;

static void on_own_stack(int number) {
  const int saved = errno;
  char byte = (char)number;
  if (write(signal_pipe[1], &byte, 1) == 1 && read(signal_pipe[0], &byte, 1) == 1) ++seen;
  errno = saved;
}

static void leave(int number) {
  (void)number;
  exit(5);
}

static void overflowed(int number) {
  (void)number;
  static const char text[] = "stack overflow handled\n";
  _exit(write(STDOUT_FILENO, text, sizeof text - 1) > 0 ? 42 : 43);
}

static void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(number, &action, NULL);
}

static void use_own_stack(void) {
  own_stack = malloc(65536);
  const stack_t stack = {.ss_sp = own_stack, .ss_size = 65536};
  sigaltstack(&stack, NULL);
}

static void every_us(long us) {
  const struct itimerval often = {{0, us}, {0, us}};
  setitimer(ITIMER_REAL, &often, NULL);
}

static void signal_storm(int steps) {
  if (pipe(signal_pipe) != 0) return;
  use_own_stack();
  handle(SIGALRM, on_own_stack, SA_ONSTACK | SA_RESTART);
  every_us(50);
  for (int i = 0; i < 10; ++i) {
    traffic(steps / 10);
    noise(10 * steps);
  }
  for (int i = 0; seen < 20 && i < 1000; ++i) usleep(1000);
  every_us(0);
  struct sigaction now;
  sigset_t blocked;
  sigaction(SIGALRM, NULL, &now);
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  printf("rank %d: signals %s, handler %s, %s\n", rank, seen >= 20 ? "came" : "missing",
         now.sa_handler == on_own_stack ? "kept" : "lost", sigismember(&blocked, SIGALRM) ? "blocked" : "not blocked");
}

static int deeper(int n) {
  volatile char frame[256];
  frame[0] = (char)n;
  if (n < 0) return 0;  // never
  if (n % 4 == 0) MPI_Send(&n, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  return deeper(n + 1) + frame[0];
}

// The stack ends within a call or near it; the program's handler has one of its own and says so.
static void overflow_the_stack(int steps) {
  traffic(steps);
  printf("rank %d: sum %.17g\n", rank, sum);
  fflush(stdout);
  use_own_stack();
  handle(SIGSEGV, overflowed, SA_ONSTACK);
  handle(SIGBUS, overflowed, SA_ONSTACK);
  sum += deeper(1);
}

// As programs do that are told to stop: wherever it comes, between a call's recording and its end too.
static void exit_in_handler(int steps) {
  handle(SIGALRM, leave, 0);
  const struct itimerval once = {{0, 0}, {0, 1000 + steps * 137 % 20000}};
  setitimer(ITIMER_REAL, &once, NULL);
  for (;;) {
    noise(50);
    traffic(50);
  }
}
