/* Collectives through memory that the ranks share. Argument:
   help       ranks wait for others in collectives, that wait for their help with long messages
   random N   so many calls, drawn alike on all ranks, with delays; every result is checked
   killed     rank 1 is killed between two of them
   limited    rank 0 may not make long files */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int rank, size;
static long wrong = 0, calls = 0;

static uint64_t state = 88172645463325252u;
static uint64_t next(void) { /* Marsaglia's xorshift: the same on all ranks */
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static int64_t value(int of, int64_t i) { return (int64_t)of * 1000003 + i * 7 + (int64_t)calls; }

static void expect(int64_t is, int64_t should) {
  if (is != should) ++wrong;
}

static int64_t sum(int64_t i) {
  int64_t all = 0;
  for (int r = 0; r < size; ++r) all += value(r, i);
  return all;
}

enum { OPERATIONS = 8, MOST = 80000 };

static void one(int operation, int n, int root, int in_place, int64_t* from, int64_t* to) {
  const int blocks = operation == 3 || operation == 6 ? size : 1; /* contributed */
  for (int64_t i = 0; i < (int64_t)n * blocks; ++i) from[i] = value(rank, i);
  memset(to, 0x55, sizeof(int64_t) * (size_t)n * (size_t)size);
  switch (operation) {
    case 0:
      if (rank != root) memset(from, 0x55, sizeof(int64_t) * (size_t)n);
      MPI_Bcast(from, n, MPI_INT64_T, root, MPI_COMM_WORLD);
      for (int64_t i = 0; i < n; ++i) expect(from[i], value(root, i));
      return;
    case 1:
      MPI_Reduce(in_place && rank == root ? MPI_IN_PLACE : from, in_place ? from : to, n, MPI_INT64_T, MPI_SUM, root,
                 MPI_COMM_WORLD);
      for (int64_t i = 0; i < n && rank == root; ++i) expect((in_place ? from : to)[i], sum(i));
      return;
    case 2:
      if (in_place) memcpy(to, from, sizeof(int64_t) * (size_t)n);
      MPI_Allreduce(in_place ? MPI_IN_PLACE : from, to, n, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
      for (int64_t i = 0; i < n; ++i) expect(to[i], sum(i));
      return;
    case 3:
      MPI_Alltoall(from, n, MPI_INT64_T, to, n, MPI_INT64_T, MPI_COMM_WORLD);
      for (int r = 0; r < size; ++r)
        for (int64_t i = 0; i < n; ++i) expect(to[(int64_t)r * n + i], value(r, (int64_t)rank * n + i));
      return;
    case 4:
      MPI_Allgather(from, n, MPI_INT64_T, to, n, MPI_INT64_T, MPI_COMM_WORLD);
      for (int r = 0; r < size; ++r)
        for (int64_t i = 0; i < n; ++i) expect(to[(int64_t)r * n + i], value(r, i));
      return;
    case 5:
      MPI_Gather(from, n, MPI_INT64_T, to, n, MPI_INT64_T, root, MPI_COMM_WORLD);
      for (int r = 0; r < size && rank == root; ++r)
        for (int64_t i = 0; i < n; ++i) expect(to[(int64_t)r * n + i], value(r, i));
      return;
    case 6:
      MPI_Scatter(from, n, MPI_INT64_T, to, n, MPI_INT64_T, root, MPI_COMM_WORLD);
      for (int64_t i = 0; i < n; ++i) expect(to[i], value(root, (int64_t)rank * n + i));
      return;
    default:
      MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void draw(long count, int64_t* from, int64_t* to) {
  static const int sizes[] = {1, 2, 4, 5, 64, 500, 512, 513, 4000, 4096, 8192, 20000, MOST};
  for (; calls < count; ++calls) {
    const int operation = (int)(next() % OPERATIONS), root = (int)(next() % (uint64_t)size);
    const uint64_t kind = next() % 16;
    const int n = sizes[kind < 13 ? (next() % 7) : 7 + next() % 6], in_place = (int)(next() % 2);
    const uint64_t late = next() % (4 * (uint64_t)size), micros = next() % 300;
    if (late == (uint64_t)rank) usleep((useconds_t)micros);
    one(operation, n, root, in_place, from, to);
  }
}

static void help(int64_t* from, int64_t* to) {
  for (; calls < 3 * OPERATIONS; ++calls) {
    const int receiver = (int)(calls % size), sender = (receiver + 1) % size, length = 1 << 22;
    char* const message = malloc((size_t)length);
    memset(message, rank, (size_t)length);
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == receiver) MPI_Irecv(message, length, MPI_BYTE, sender, 3, MPI_COMM_WORLD, &request);
    if (rank == sender) MPI_Ssend(message, length, MPI_BYTE, receiver, 3, MPI_COMM_WORLD);
    one((int)(calls / 3), 8, sender, 0, from, to);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == receiver) expect(message[length - 1], sender);
    free(message);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* what = argc > 1 ? argv[1] : "";
  int64_t* from = malloc(sizeof(int64_t) * MOST * (size_t)size);
  int64_t* to = malloc(sizeof(int64_t) * MOST * (size_t)size);
  if (!strcmp(what, "help")) help(from, to);
  if (!strcmp(what, "random")) draw(atol(argv[2]), from, to);
  if (!strcmp(what, "killed")) {
    draw(200, from, to);
    if (rank == 1) raise(SIGKILL);
    draw(100000, from, to);
  }
  if (!strcmp(what, "limited")) {
    const struct rlimit before = {RLIM_INFINITY, RLIM_INFINITY}, short_files = {4096, RLIM_INFINITY};
    if (rank == 0) setrlimit(RLIMIT_FSIZE, &short_files);
    for (; calls < 20; ++calls) one((int)(calls % OPERATIONS), 100, 0, 0, from, to);
    if (rank == 0) setrlimit(RLIMIT_FSIZE, &before);
  }
  printf("rank %d: %ld calls, %ld wrong\n", rank, calls, wrong);
  fflush(stdout);
  free(from);
  free(to);
  MPI_Finalize();
  return 0;
}
