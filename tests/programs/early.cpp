// MPI before main and after it. As a library (-DLIBRARY): an object whose constructor calls MPI, in a thread too, and
// writes a file; with EARLY=init it also begins MPI, and its destructor ends it. The program has such an object, too.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static bool begins_early() { return getenv("EARLY") != nullptr; }

static int initialized() {
  int flag = -1;
  MPI_Initialized(&flag);
  return flag;
}

#ifdef LIBRARY

static void* ask(void*) {
  initialized();
  return nullptr;
}

struct Early {
  Early() {
    initialized();
    pthread_t thread;
    pthread_create(&thread, nullptr, ask, nullptr);
    pthread_join(thread, nullptr);
    if (FILE* file = fopen("early.txt", "a")) {
      fputs("early\n", file);
      fclose(file);
    }
    if (begins_early()) MPI_Init(nullptr, nullptr);
  }
  ~Early() {
    if (begins_early()) MPI_Finalize();
  }
};
Early early;
extern "C" int early_rank_sum(int size) { return size * (size - 1) / 2; }

#else

extern "C" int early_rank_sum(int size);  // a linker may leave out a library that nothing is taken from

struct Counted {
  int before = initialized();
};
static Counted counted;

int main() {
  int rank = 0, size = 0, mine = 0, sum = 0;
  if (!initialized()) MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < 10; ++step) {
    mine = rank;
    MPI_Sendrecv_replace(&mine, 1, MPI_INT, (rank + 1) % size, 1, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("sum %s, initialized before main: %d\n", sum == early_rank_sum(size) ? "right" : "wrong", counted.before);
  if (!begins_early()) MPI_Finalize();
  return 0;
}

#endif
