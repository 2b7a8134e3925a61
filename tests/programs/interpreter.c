/* A program that an interpreter drives: -DLIBRARY is the interpreter, whose own loop runs over the instructions of a
   script; the program's solver, which the script calls once, has 40 steps.   interpreter LIBRARY */
#ifdef LIBRARY
int interpret(void (*const* instructions)(void), int count) {
  int done = 0;
  for (; done < count; ++done) instructions[done]();
  return done;
}
#else
#include <dlfcn.h>
#include <mpi.h>

static void broadcast(void) {
  int value = 0;
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void solve(void) {
  for (int step = 0; step < 40; ++step) {
    MPI_Barrier(MPI_COMM_WORLD);
    double sum = 0, sums;
    MPI_Allreduce(&sum, &sums, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  void (*const script[])(void) = {broadcast, broadcast, broadcast, solve, broadcast};
  void* const library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
  int (*interpret)(void (*const*)(void), int) =
      library ? (int (*)(void (*const*)(void), int))dlsym(library, "interpret") : 0;
  if (!interpret) return 1;
  MPI_Init(&argc, &argv);
  const int done = interpret(script, 5);
  MPI_Finalize();
  return done != 5;
}
#endif
