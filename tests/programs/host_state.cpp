// What a program can read of its own state before main() begins: in a constructor of C, in one of C++, and in main().
// Everything that the recorder's own variables do not make different. On standard error if an argument is given, since
// a launcher takes standard output.
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

extern char** environ;

namespace {

bool is_ours(const char* variable) {
  return strncmp(variable, "LEADLINE_", 9) == 0 || strncmp(variable, "LD_PRELOAD=", 11) == 0 ||
         strncmp(variable, "_=", 2) == 0;
}

// Lines that differ from process to process, or that a launcher numbers, are left out by the launcher's names.
bool is_launchers(const char* variable) {
  for (const char* begin : {"PMI", "OMPI_", "PMIX_", "PRTE_", "HYDRA_", "MPIR_", "HYD"}) {
    if (strncmp(variable, begin, strlen(begin)) == 0) return true;
  }
  return false;
}

std::string described(const char* when, int error) {
  std::string text = std::string(when) + ": errno " + std::to_string(error);
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  text += "; blocked";
  for (int number = 1; number < 65; ++number) {
    if (sigismember(&mask, number) == 1) text += " " + std::to_string(number);
  }
  text += "; handled";
  for (int number = 1; number < 65; ++number) {
    struct sigaction action;
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_DFL) {
      text += " " + std::to_string(number) + (action.sa_handler == SIG_IGN ? "i" : "h");
    }
  }
  text += "; descriptors";
  for (int fd = 0; fd < 1024; ++fd) {
    const int flags = fcntl(fd, F_GETFD);
    if (flags >= 0) text += " " + std::to_string(fd) + (flags & FD_CLOEXEC ? "c" : "");
  }
  text += std::string("; locale ") + setlocale(LC_ALL, nullptr);
  char here[4096];
  text += std::string("; in ") + (getcwd(here, sizeof(here)) ? here : "?");
  text += "; rounding " + std::to_string(fegetround()) + ", exceptions " + std::to_string(fetestexcept(FE_ALL_EXCEPT));
  const mode_t mask_of_files = umask(0);
  umask(mask_of_files);
  text += "; umask " + std::to_string(mask_of_files);
  itimerval timer;
  getitimer(ITIMER_REAL, &timer);
  text += "; timer " + std::to_string(timer.it_value.tv_sec);
  for (const int limit : {RLIMIT_NOFILE, RLIMIT_STACK, RLIMIT_CORE, RLIMIT_AS}) {
    rlimit of;
    getrlimit(static_cast<__rlimit_resource>(limit), &of);
    text += "; limit " + std::to_string(of.rlim_cur);
  }
  std::vector<std::string> variables;
  for (char** at = environ; *at; ++at) {
    if (!is_ours(*at) && !is_launchers(*at)) variables.push_back(*at);
  }
  std::sort(variables.begin(), variables.end());
  for (const std::string& variable : variables) text += "; " + variable;
  return text;
}

// errno is read before anything else can change it.
int error_in_c = -1, error_in_cxx = -1;
__attribute__((constructor(101))) void first() { error_in_c = errno; }

struct Early {
  Early() {
    error_in_cxx = errno;
    errno = 0;
    said = described("constructor", error_in_cxx);
    errno = error_in_cxx;
  }
  std::string said;
};
Early early;

}  // namespace

int main(int argc, char** argv) {
  const int error = errno;
  strtol("42", nullptr, 10);
  const bool trips = errno != 0;  // as a program does that never sets errno
  FILE* to = argc > 1 ? stderr : stdout;
  fprintf(to, "C constructor: errno %d\n%s\n%s\nstrtol failed: %d\n", error_in_c, early.said.c_str(),
          described("main", error).c_str(), trips);
  if (argc > 1) return 0;
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
