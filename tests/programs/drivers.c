// Programs whose outermost loop is not that of the steps. The loops that a test looks for are marked.
//   drivers commands STEPS     reads an input line by line, as interpreters do: one line of a dozen is the run
//   drivers runs STEPS         the same, with five runs of STEPS / 5 steps
//   drivers lines STEPS        the same; each line takes as long as a hundred steps do
//   drivers includes STEPS     one of five lines names another file, whose lines are checked; the steps, which another
//                              line runs, make no calls before the last one
//   drivers sweep STEPS        five cases, STEPS iterations in all, most of which are the last one's
//   drivers timed STEPS        passes of 2, 1 and then all other steps: two to warm up, one that is timed
//   drivers converges STEPS    an outer loop that may go round ten times and is left after the first
//   drivers steps STEPS        a model: its first step takes four times as long, every tenth one writes
//   drivers even STEPS         ten cases that take equally long
//   drivers between STEPS      a step makes calls in a routine's loop only, which has one iteration, but for a
//                              reduction every tenth step
//   drivers stages STEPS       the same with stages of a time step, of which there is one, and two parts in each that
//                              make calls in loops of their own, if there is such a part
//   drivers sectors STEPS      a sweep over eight sectors, each of which needs what the one before brought, makes all
//                              calls of a step, but for a reduction every tenth step
// Of more than 5,000 steps, each takes 40 us and sends to nobody. Times are long against delays by a busy machine.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size;
static double in, out, pace = 1e-3;  // of a step, seconds
static int alone;
static volatile int three = 3, ten = 10, five_cases = 5, eight = 8;  // the compiler is not to write such loops out

static void compute(double seconds) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) < seconds);
}

static __attribute__((noinline)) void exchange(int tag) {
  const int right = alone ? MPI_PROC_NULL : (rank + 1) % size, left = alone ? right : (rank + size - 1) % size;
  MPI_Sendrecv(&out, 1, MPI_DOUBLE, right, tag, &in, 1, MPI_DOUBLE, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) void step(int number) {
  compute(pace);
  exchange(1);
  exchange(2);
  if (number % 10 == 9) MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static __attribute__((noinline)) void run(int steps) {
  MPI_Barrier(MPI_COMM_WORLD);
  for (int number = 0; number < steps; ++number) step(number);  // run
  MPI_Reduce(&out, &in, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
}

static __attribute__((noinline)) void create_atoms(void) {
  MPI_Scan(&out, &in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  exchange(5);
}
static __attribute__((noinline)) void velocity(void) {
  MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static double pause;  // before a line is read, seconds

// Rank 0 reads, all obey.
static void interpret(const char* const* lines, int steps) {
  char line[32];
  for (int at = 0;; ++at) {  // commands
    if (pause > 0) compute(pause);
    int length = rank == 0 && lines[at] ? (int)strlen(lines[at]) + 1 : 0;
    MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!length) break;
    if (rank == 0) memcpy(line, lines[at], (size_t)length);
    MPI_Bcast(line, length, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (!strncmp(line, "atoms", 5)) create_atoms();
    if (!strncmp(line, "velocity", 8)) velocity();
    if (!strncmp(line, "run", 3)) run(steps);
  }
}

static __attribute__((noinline)) void run_unseen(int steps) {
  for (int number = 1; number <= steps; ++number) {
    compute(pace);
    if (number == steps) MPI_Reduce(&out, &in, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  }
}

static void execute(const char* const* lines, const char* const* included, int steps) {
  for (; *lines; ++lines) {
    if (!strcmp(*lines, "include")) execute(included, NULL, steps);
    if (!strcmp(*lines, "run")) run_unseen(steps);
    MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void converge(int steps) {
  for (int outer = 0; outer < 10; ++outer) {  // converges
    MPI_Bcast(&in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    run(steps);
    int done = 1, all = 0;
    MPI_Allreduce(&done, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (all) break;
  }
}

static int passes = 1;

static __attribute__((noinline)) void physics(void) {
  for (int pass = 0; pass < passes; ++pass) {  // pass
    compute(pace);
    exchange(1);
    MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    exchange(2);
    MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    exchange(3);
    MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    exchange(4);
    exchange(7);
    exchange(8);
  }
}

static volatile int parts = 2, fluid = 1, solid = 1;

static __attribute__((noinline)) void fluid_part(void) {
  for (int part = 0; part < parts; ++part) {
    compute(pace / 4);
    exchange(1);
    MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    exchange(2);
    exchange(3);
  }
}
static __attribute__((noinline)) void solid_part(void) {
  for (int part = 0; part < parts; ++part) {
    compute(pace / 4);
    exchange(4);
    MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    exchange(5);
    exchange(6);
  }
}

static __attribute__((noinline)) void solve(int iterations) {
  for (int i = 0; i < iterations; ++i) {
    compute(pace / 8);
    exchange(3);
    MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

static __attribute__((noinline)) void write_output(void) {
  for (int field = 0; field < 6; ++field) MPI_Gather(&out, 1, MPI_BYTE, &in, 1, MPI_BYTE, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  static const char* const one[] = {
      "units lj",   "atom_style atomic", "lattice fcc 0.8442", "region whole block", "box 1 whole", "atoms 1 box",
      "mass 1 1.0", "velocity all 3.0",  "neighbor 0.3 bin",   "fix move all nve",   "thermo 25",   "run 400",
      NULL};
  static const char* const five[] = {"units lj", "box 1 whole",  "atoms 1 box", "velocity all 3.0", "run 1",
                                     "mass 10",  "run 22",       "thermo 25",   "neighbor 0.3 bin", "run 333",
                                     "mass 100", "fix move nve", "run 4444",    "unfix move",       "run 55555",
                                     NULL};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* kind = argc > 1 ? argv[1] : "steps";
  const int steps = argc > 2 ? atoi(argv[2]) : 100;
  if (argc > 3) passes = atoi(argv[3]);
  if (steps > 5000) alone = 1, pace = 4e-5;
  if (!strcmp(kind, "commands")) interpret(one, steps);
  if (!strcmp(kind, "lines")) {
    pause = 100 * pace;
    interpret(one, steps);
  }
  if (!strcmp(kind, "includes")) {
    static const char* const main_file[] = {"include", "set", "model", "run", "quit", NULL};
    const char* data[41] = {NULL};
    for (int line = 0; line < 40; ++line) data[line] = "taxon";
    execute(main_file, data, steps);
  }
  if (!strcmp(kind, "runs")) interpret(five, steps / 5);
  if (!strcmp(kind, "sweep")) {
    const int cases[] = {4, 4, 12, 40, steps - 60};
    for (int which = 0; which < five_cases; ++which) run(cases[which]);  // sweep
  }
  if (!strcmp(kind, "timed")) {
    for (int pass = 0; pass < three; ++pass) run(pass < 2 ? 2 - pass : steps - 3);  // timed
  }
  if (!strcmp(kind, "converges")) converge(steps);
  if (!strcmp(kind, "even")) {
    for (int which = 0; which < ten; ++which) run(steps / 10);  // even
  }
  if (!strcmp(kind, "steps")) {
    for (int number = 0; number < steps; ++number) {  // steps
      MPI_Bcast(&in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      solve(number ? 6 + number % 3 : 25);
      if (number % 10 == 9) write_output();
    }
  }
  if (!strcmp(kind, "between")) {
    for (int number = 0; number < steps; ++number) {  // between
      physics();
      if (number % 10 == 9) MPI_Reduce(&out, &in, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    }
  }
  if (!strcmp(kind, "stages")) {
    for (int number = 0; number < steps; ++number) {  // step
      if (number % 10 == 0) MPI_Reduce(&out, &in, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
      for (int stage = 0; stage < passes; ++stage) {  // stage
        if (fluid) fluid_part();
        if (solid) solid_part();
      }
    }
  }
  if (!strcmp(kind, "sectors")) {
    for (int number = 0; number < steps; ++number) {
      for (int sector = 0; sector < eight; ++sector) {
        compute(pace / 8);
        exchange(1);
      }
      if (number % 10 == 9) MPI_Reduce(&out, &in, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
