// A plug-in of which there are several that look alike: -DNAME=alpha. It calls MPI itself, or has the program call it.
#include "fake_mpi.h"

#define JOIN(a, b) a##b
#define NAMED(name, what) JOIN(name, what)

__attribute__((noinline)) void NAMED(NAME, _sends)(int n) {
  for (int i = 0; i < n; ++i) MPI_Send(&i, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

__attribute__((noinline)) void NAMED(NAME, _asks)(void (*send)(void), int n) {
  for (int i = 0; i < n; ++i) send();
}

void run(void (*send)(void), int n) {
  NAMED(NAME, _sends)(n);
  NAMED(NAME, _asks)(send, n);
}
