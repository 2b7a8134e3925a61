// Loops of a source that a test knows:
//   loops nest STEPS      main loop: a broadcast every tenth step, 5 exchanges, a solver of 7 to 9 iterations, a
//                         reduction every tenth step
//   loops polls STEPS     each step asks for its message by MPI_Test and MPI_Iprobe in turn, and sends 0 to 3 more
//   loops deep STEPS      the calls of a step are made six levels further down, by a recursion
//   loops leave STEPS     an endless loop that is left in the middle; two ways through it, chosen as nobody can foresee
//   loops silent STEPS    all calls of a step are those of its inner loop, but for a reduction every fifth step
//   loops sweeps STEPS    all calls of a step are those of its inner loop, which sends one size, then another
//   loops quiet STEPS     a step of one stage calls a routine that makes a reduction in two of seven steps
//   loops tails STEPS     a step calls routines that end by calling another one, more than are read at a time
//   loops jumps STEPS     a step calls a routine that ends by calling another one through a pointer
//   loops turns STEPS     two conditional calls; most steps make only one of them
//   loops short STEPS     a step is over in no time; the second half of them call something else
//   loops warm STEPS      as nest, after a solver's iterations that take longer than all steps
//   loops files STEPS     a loop about files only, longer than that of the steps
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static double in, out;
static int pause_us;

static __attribute__((noinline)) void exchange(int tag) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Sendrecv(&out, 1, MPI_DOUBLE, right, tag, &in, 1, MPI_DOUBLE, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) void solve(int iterations) {
  for (int i = 0; i < iterations; ++i) {
    if (pause_us) usleep(pause_us);
    exchange(1);
    MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

static __attribute__((noinline)) void model_step(int step) {
  if (step % 10 == 0) MPI_Bcast(&in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int field = 0; field < 5; ++field) exchange(2 + field);
  solve(7 + step % 3);
  if (step % 10 == 9) MPI_Reduce(&out, &in, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static __attribute__((noinline)) void polling_step(int step) {
  MPI_Request request;
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  const int more = step * 7 % 4;
  MPI_Irecv(&in, 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &request);
  MPI_Send(&out, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD);
  for (int done = 0, other; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    MPI_Iprobe(left, 77, MPI_COMM_WORLD, &other, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < more; ++i) MPI_Send(&out, 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD);
  for (int i = 0; i < more; ++i) MPI_Recv(&in, 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static __attribute__((noinline)) void stages(int count) {
  for (int stage = 0; stage < count; ++stage) exchange(5);
}

static __attribute__((noinline)) void sweep(int count) {
  static double more_out[2], more_in[2];
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int stage = 0; stage < count; ++stage) {
    const int n = stage < count / 2 ? 1 : 2;
    MPI_Sendrecv(more_out, n, MPI_DOUBLE, right, 6, more_in, n, MPI_DOUBLE, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static __attribute__((noinline)) void nothing(int tag) {
  MPI_Send(&out, 1, MPI_DOUBLE, MPI_PROC_NULL, tag, MPI_COMM_WORLD);
}

static __attribute__((noinline)) void down(int level, int step) {
  if (level > 0) {
    down(level - 1, step);
    __asm__ volatile("" ::: "memory");  // no tail call
    return;
  }
  exchange(1);
  if (step % 2) exchange(2);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void leave_loop(int steps) {
  unsigned chance = 12345;
  int step = 0;
  for (;;) {  // left in the middle
    chance = chance * 1103515245u + 12345u;
    if (chance >> 16 & 1) {
      MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    } else {
      exchange(3);
      exchange(4);
    }
    if (++step == steps) break;
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static __attribute__((noinline)) void report(int step) {
  if (step % 7 >= 5) MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  __asm__ volatile("" ::: "memory");  // no tail call
}

// clang-format off
#define PAIR(n)                                                                                       \
  static __attribute__((noinline)) void second##n(void) { exchange(n); __asm__ volatile("" ::: "memory"); } \
  static __attribute__((noinline)) void first##n(void) { exchange(20 + n); second##n(); }
#define PAIRS(f) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14)
#define CALL(n) first##n();
// clang-format on
PAIRS(PAIR)

static __attribute__((noinline)) void end_step(int step) {
  exchange(30 + step % 2);
  __asm__ volatile("" ::: "memory");
}
static void (*volatile end_of_step)(int) = end_step;
static __attribute__((noinline)) void begin_step(int step) {
  exchange(29);
  end_of_step(step);
}

static void write_lines(void) {
  FILE* f = fopen("lines.txt", "w");
  for (int i = 0; f && i < 5000; ++i) fprintf(f, "%d\n", i);
  if (f) fclose(f);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* kind = argc > 1 ? argv[1] : "nest";
  const int steps = argc > 2 ? atoi(argv[2]) : 10;
  for (int i = 0; i < 2; ++i) exchange(9);
  if (!strcmp(kind, "leave")) leave_loop(steps);
  if (!strcmp(kind, "files") && rank == 0) write_lines();
  if (!strcmp(kind, "nest") || !strcmp(kind, "files")) {
    for (int step = 0; step < steps; ++step) model_step(step);  // nest
  }
  if (!strcmp(kind, "polls")) {
    for (int step = 0; step < steps; ++step) polling_step(step);  // polls
  }
  if (!strcmp(kind, "warm")) {
    pause_us = 4000;
    solve(50);
    pause_us = 0;
    for (int step = 0; step < steps; ++step) model_step(step);  // warm
  }
  if (!strcmp(kind, "silent")) {
    for (int step = 0; step < steps; ++step) {  // silent
      stages(size + 1);
      if (step % 5 == 4) MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
  }
  if (!strcmp(kind, "sweeps")) {
    for (int step = 0; step < steps; ++step) sweep(size + 4);  // sweeps
  }
  if (!strcmp(kind, "quiet")) {
    for (int step = 0; step < steps; ++step) {  // quiet
      stages(steps > 0);
      report(step);
    }
  }
  if (!strcmp(kind, "tails")) {
    for (int step = 0; step < steps; ++step) {  // tails
      PAIRS(CALL)
    }
  }
  if (!strcmp(kind, "jumps")) {
    for (int step = 0; step < steps; ++step) {  // jumps
      begin_step(step);
    }
  }
  if (!strcmp(kind, "turns")) {
    for (int step = 0; step < steps; ++step) {  // turns
      if (step % 2 == 0) exchange(1);
      if (step % 3 == 1 || step % 3 == 0) exchange(2);
    }
  }
  if (!strcmp(kind, "short")) {
    for (int step = 0; step < steps; ++step) nothing(step < steps / 2 ? 1 : 2);  // short
  }
  if (!strcmp(kind, "deep")) {
    for (int step = 0; step < steps; ++step) down(6, step);  // deep
  }
  MPI_Finalize();
  return 0;
}
