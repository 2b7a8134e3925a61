/* moved_code STEPS: compilers put what seldom runs behind a routine's other code, and here it always runs. After its
   last step, the program is killed. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>

static double in[4], out[4];
static volatile int seldom = 1;

static __attribute__((noinline)) void model(int steps) {
  for (int step = 0; step < steps; ++step) { /* steps */
    MPI_Bcast(in, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (__builtin_expect(seldom, 0)) MPI_Allreduce(in, out, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (__builtin_expect(seldom, 0)) MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Reduce(in, out, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  model(atoi(argv[1]));
  raise(SIGKILL);
  MPI_Finalize();
  return 0;
}
