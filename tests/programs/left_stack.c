// An error handler leaves a call on a fiber's stack, which is unmapped then; the next call is made on a stack below it.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

static ucontext_t main_context, fiber;
static int left;

static void leave(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  ++left;
  setcontext(&main_context);
}

static void wrong(void) { MPI_Send(&left, 1, MPI_INT, 99, 0, MPI_COMM_WORLD); }

static void right(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void run_on(char* stack, size_t size, void (*body)(void)) {
  getcontext(&fiber);
  fiber.uc_stack.ss_sp = stack;
  fiber.uc_stack.ss_size = size;
  fiber.uc_link = &main_context;
  makecontext(&fiber, body, 0);
  swapcontext(&main_context, &fiber);
}

int main(int argc, char** argv) {
  const size_t size = 1 << 20;
  MPI_Errhandler handler;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_errhandler(leave, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  char* low = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (low == MAP_FAILED) return 1;
  run_on(low + size, size, wrong);
  if (munmap(low + size, size) != 0) return 2;
  run_on(low, size, right);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  printf("%d left\n", left);
  return 0;
}
