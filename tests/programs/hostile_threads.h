// Threads: eight for long, hundreds for a moment, more than are recorded, with hardly a stack, and left behind.
#include <pthread.h>

enum { most_threads = 80 };

static int threads_allowed;

typedef struct {
  MPI_Comm comm;
  int number, steps;
  double sum;
} Work;

static Work works[most_threads];
static pthread_t ids[most_threads];
static pthread_barrier_t together;

// Per step: MPI_Irecv, MPI_Send, MPI_Wait. Then, in its own communicator, one MPI_Allreduce for each step in ten.
static void* work(void* argument) {
  Work* w = argument;
  double one = 1, all = 0;
  w->sum += ring(w->steps, w->comm, w->number);
  for (int i = 0; i < w->steps / 10; ++i) {
    MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, w->comm);
    w->sum += all;
  }
  return NULL;
}

static void start(int n, int steps, void* (*what)(void*), const pthread_attr_t* attributes) {
  for (int i = 0; i < n; ++i) {
    works[i].number = i;
    works[i].steps = steps;
    pthread_create(&ids[i], attributes, what, &works[i]);
  }
}

static void join(int n) {
  for (int i = 0; i < n; ++i) {
    pthread_join(ids[i], NULL);
    sum += works[i].sum;
    works[i].sum = 0;
  }
}

static int may_use_threads(int n) {
  if (!threads_allowed) {
    if (rank == 0) printf("threads are not supported\n");
    return 0;
  }
  for (int i = 0; i < n; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &works[i].comm);
  return 1;
}

static void eight_threads(int steps) {
  if (!may_use_threads(8)) return;
  start(8, steps, work, NULL);
  join(8);
}

static void many_threads_one_after_another(int steps) {
  if (!may_use_threads(8)) return;
  for (int i = 0; i < steps; ++i) {
    start(8, 10, work, NULL);
    join(8);
  }
}

static void* wait_and_work(void* argument) {
  Work* w = argument;
  pthread_barrier_wait(&together);
  for (int i = 0; i < w->steps; ++i) MPI_Send(&i, 1, MPI_INT, MPI_PROC_NULL, w->number, MPI_COMM_WORLD);
  pthread_barrier_wait(&together);
  return NULL;
}

static void more_threads_than_are_recorded(int steps) {
  if (!may_use_threads(0)) return;
  pthread_barrier_init(&together, NULL, most_threads);
  start(most_threads, steps, wait_and_work, NULL);
  join(most_threads);
}

static void on_a_small_stack(int steps) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
#ifdef FAKE
  pthread_attr_setstacksize(&attributes, 20480);
#else
  pthread_attr_setstacksize(&attributes, 131072);
#endif
  works[0].comm = MPI_COMM_WORLD;
  start(1, steps, work, &attributes);
  join(1);
}

static void* be_noisy(void* argument) {
  const Work* w = argument;
  noise(100 * w->steps);
  return NULL;
}

// Each fills generation after generation, and they are written to one file.
static void noisy_threads(int steps) {
  if (!may_use_threads(0)) return;
  start(4, steps, be_noisy, NULL);
  join(4);
}

static void* never_ends(void* argument) {
  (void)argument;
  for (;;) noise(100);
  return NULL;
}

// main returns; threads go on until the process is gone.
static void leave_threads_running(int steps) {
  if (!may_use_threads(0)) return;
  start(4, steps, never_ends, NULL);
  noise(steps);
}
