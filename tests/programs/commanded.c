/* commanded STEPS: rank 0 makes the steps. In each it gives the other ranks three commands, for which they have a loop
   of their own. */
#include <mpi.h>
#include <stdlib.h>

enum { stop, move, collide, measure };
static int rank, ranks;
static double in[100], out[100];

static void command(int what) { MPI_Bcast(&what, 1, MPI_INT, 0, MPI_COMM_WORLD); }

static __attribute__((noinline)) void steps(int n) {
  for (int step = 0; step < n; ++step) { /* steps */
    command(move);
    command(collide);
    command(measure);
    MPI_Reduce(out, in, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }
  command(stop);
}

static void pass_on(int n) {
  const int others = ranks - 1, own = rank - 1;
  MPI_Sendrecv(out, n, MPI_DOUBLE, 1 + (own + 1) % others, 1, in, n, MPI_DOUBLE, 1 + (own + others - 1) % others, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) void obey(void) {
  for (int what = move; what != stop;) { /* commands */
    MPI_Bcast(&what, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (what == move) pass_on(100);
    if (what == collide) pass_on(10), pass_on(20);
    if (what == measure) MPI_Reduce(out, in, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  rank ? obey() : steps(atoi(argv[1]));
  MPI_Finalize();
  return 0;
}
