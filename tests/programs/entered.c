// entered [middle|left|right|sum|again]: 50 steps in a loop that control may also enter in the middle of a step, or
// whose beginning lies in front of it.
#include <mpi.h>
#include <string.h>

static int n, one = 1, sum;

static void add_up(void) { MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }

static void one_way(int middle) {
  if (middle) goto middle;
  for (;;) {
    MPI_Barrier(MPI_COMM_WORLD);
  middle:
    add_up();
    if (++n == 50) break;
  }
}

// As compilers make it where they know which way the first step takes. What all steps have in common comes first.
static void two_ways(const char* first) {
  if (!strcmp(first, "left")) goto left;
  if (!strcmp(first, "right")) goto right;
sum:
  add_up();
  if (++n == 50) return;
  if (n % 3) goto right;
left:
  MPI_Barrier(MPI_COMM_WORLD);
  goto sum;
right:
  MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
  goto sum;
}

// As compilers make it where every fifth step changes a register.
static void in_front(void) {
  volatile int restored;
again:
  restored = 1;
  for (;;) {
    add_up();
    if (++n == 50) return;
    if (n % 5) continue;
    MPI_Barrier(MPI_COMM_WORLD);
    (void)restored;
    goto again;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int middle = argc > 1 && !strcmp(argv[1], "middle");
  if (argc == 1 || middle) {
    one_way(middle);
  } else if (!strcmp(argv[1], "again")) {
    in_front();
  } else {
    two_ways(argv[1]);
  }
  MPI_Finalize();
}
