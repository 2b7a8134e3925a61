// Too little of everything.
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

// Files may not grow beyond what there is: with SIGXFSZ as the system has it, which ends the program.
static void limited_file_size(int steps) {
  const struct rlimit small = {4096, RLIM_INFINITY};
  traffic(100);
  setrlimit(RLIMIT_FSIZE, &small);
  noise(steps);
  traffic(100);
  sigset_t pending;
  sigpending(&pending);
  printf("rank %d: signal %s\n", rank, sigismember(&pending, SIGXFSZ) ? "pending" : "not seen");
}

// No descriptor is left to open anything with. How many there were must not change either.
static void files_exhausted(int steps) {
  struct rlimit few;
  int opened = 0, last = -1;
  traffic(100);
  getrlimit(RLIMIT_NOFILE, &few);
  few.rlim_cur = 200;
  setrlimit(RLIMIT_NOFILE, &few);
  for (int fd; (fd = open("/dev/null", O_RDONLY)) >= 0; last = fd) ++opened;
  noise(steps);
  traffic(100);
  printf("rank %d: opened until %d\n", rank, last);
  for (int fd = last; opened > 0; --fd) opened -= close(fd) == 0;
}

// What is in use already (libraries that are loaded) and STEPS / 1000 MB more.
static void limit_address_space(int steps) {
  FILE* f = fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  if (!f || fscanf(f, "%lu", &pages) != 1) return;
  fclose(f);
  const rlim_t bytes = pages * 4096ul + (rlim_t)steps / 1000 * 1048576ul;
  const struct rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
}
