// 50 steps that call a routine by its address. It ends with a jump to another one, whose address it looks up, too.
#include <mpi.h>

static int one = 1, sum;

__attribute__((noinline)) static void second(void) { MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD), one = 1; }
static void (*volatile second_one)(void) = second;

__attribute__((noinline)) static void first(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  second_one();
}
static void (*volatile first_one)(void) = first;

__attribute__((noinline)) static void step(void) {
  first_one();
  __asm__ volatile("" ::: "memory");  // no jump
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int n = 0; n < 50; ++n) {
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    step();
  }
  MPI_Finalize();
}
