// Each sketch beside the calls it replaces: the same bytes. The sketches are made by the test; the program is C and
// C++.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "pack.c"
#define reduce_together reduce_to_all
#define VALUES VALUES_TO_ALL
#include "merge-reductions.allreduce.c"
#undef reduce_together
#undef VALUES
#define reduce_together reduce_to_root
#define VALUES VALUES_TO_ROOT
#include "merge-reductions.reduce.c"
#undef reduce_together
#undef VALUES
#define kept kept_copy
#define create_kept create_copy
#define free_kept free_copy
#include "create-once.dup.c"
#undef kept
#undef create_kept
#undef free_kept
#define kept kept_part
#define create_kept create_part
#define free_kept free_part
#include "create-once.split.c"
#undef kept
#undef create_kept
#undef free_kept

#include "nonblocking.c"
#define PARTNERS OVERLAPPED
#define TAG OVERLAPPED_TAG
#include "overlap.c"
#undef PARTNERS
#undef TAG
#include <fcntl.h>

#include "collective.alltoall.c"
#include "collective.distribute.c"
#include "collective.gather.c"
#include "collective.reduce.c"
#include "larger-io.collected.c"
#include "less-output.c"
#include "parallel-io.c"
#include "read-once.c"
#include "smaller-communicator.c"
#include "sparse-exchange.c"

static int rank, ranks;

static void tell(const char* name, int same) { printf("rank %d: %s %s\n", rank, name, same ? "same" : "DIFFERENT"); }

enum { POINTS = 50 };

static void check_pack(void) {
  static double out[2][FIELDS][POINTS], naive[2][FIELDS][POINTS], packed[2][FIELDS][POINTS];
  void *send[2][FIELDS], *receive[2][FIELDS];
  const int lower = rank > 0 ? rank - 1 : MPI_PROC_NULL, upper = (rank + 1) % ranks ? rank + 1 : MPI_PROC_NULL;
  for (int side = 0; side < 2; ++side)
    for (int f = 0; f < FIELDS; ++f) {
      for (int i = 0; i < POINTS; ++i) out[side][f][i] = rank * 1e4 + side * 1e3 + f * 100 + i;
      send[side][f] = out[side][f];
      receive[side][f] = packed[side][f];
    }
  for (int f = 0; f < FIELDS; ++f) {
    MPI_Request requests[4];
    MPI_Irecv(naive[0][f], POINTS, MPI_DOUBLE, lower, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(naive[1][f], POINTS, MPI_DOUBLE, upper, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out[0][f], POINTS, MPI_DOUBLE, lower, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(out[1][f], POINTS, MPI_DOUBLE, upper, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
  leadline_segments* plan = plan_exchange(MPI_COMM_WORLD, lower, upper, send, receive, POINTS, MPI_DOUBLE);
  for (int step = 0; step < 2; ++step) leadline_segments_exchange(plan);
  leadline_segments_free(&plan);
  tell("pack", memcmp(naive, packed, sizeof naive) == 0);
}

static void check_reductions(void) {
  double each[VALUES_TO_ALL], naive[VALUES_TO_ALL], together[VALUES_TO_ALL], *value[VALUES_TO_ALL];
  for (int v = 0; v < VALUES_TO_ALL; ++v) {
    each[v] = together[v] = rank + 0.5 * v;
    value[v] = &together[v];
    MPI_Allreduce(&each[v], &naive[v], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  reduce_to_all(value, MPI_COMM_WORLD);
  tell("merge-reductions.allreduce", memcmp(naive, together, sizeof naive) == 0);
  for (int v = 0; v < VALUES_TO_ROOT; ++v) {
    naive[v] = together[v] = each[v];
    MPI_Reduce(&each[v], &naive[v], 1, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
    if (rank != 1) naive[v] = each[v];
  }
  reduce_to_root(value, 1, MPI_COMM_WORLD);
  tell("merge-reductions.reduce", memcmp(naive, together, sizeof naive) == 0);
}

static int alike(MPI_Comm a, MPI_Comm b) {
  int result;
  MPI_Comm_compare(a, b, &result);
  return result == MPI_CONGRUENT;
}

static void check_created(void) {
  MPI_Comm naive;
  MPI_Comm_dup(MPI_COMM_WORLD, &naive);
  create_copy(MPI_COMM_WORLD);
  const int copies = alike(naive, kept_copy);
  free_copy();
  MPI_Comm_free(&naive);
  tell("create-once.dup", copies && kept_copy == MPI_COMM_NULL);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &naive);
  create_part(MPI_COMM_WORLD, rank % 2, -rank);
  const int parts = alike(naive, kept_part);
  free_part();
  MPI_Comm_free(&naive);
  tell("create-once.split", parts && kept_part == MPI_COMM_NULL);
}

static void check_exchanges(void) {
  static double out[2][POINTS], naive[2][POINTS], at_once[2][POINTS], later[2][POINTS];
  const int partner[2] = {rank > 0 ? rank - 1 : MPI_PROC_NULL, (rank + 1) % ranks ? rank + 1 : MPI_PROC_NULL};
  void *send[2] = {out[0], out[1]}, *receive[2] = {at_once[0], at_once[1]}, *overlapped[2] = {later[0], later[1]};
  for (int i = 0; i < 2 * POINTS; ++i) out[i / POINTS][i % POINTS] = rank * 1e3 + i;
  MPI_Sendrecv(out[1], POINTS, MPI_DOUBLE, partner[1], 1, naive[0], POINTS, MPI_DOUBLE, partner[0], 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(out[0], POINTS, MPI_DOUBLE, partner[0], 2, naive[1], POINTS, MPI_DOUBLE, partner[1], 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  exchange_at_once(MPI_COMM_WORLD, partner, send, receive, POINTS, MPI_DOUBLE);
  tell("nonblocking", memcmp(naive, at_once, sizeof naive) == 0);
  MPI_Request all[4];
  start_exchange(MPI_COMM_WORLD, partner, send, overlapped, POINTS, MPI_DOUBLE, all);
  finish_exchange(all);
  tell("overlap", memcmp(naive, later, sizeof naive) == 0);
}

static int has(const char* name, const void* bytes, size_t length) {
  static char there[1 << 16];
  FILE* file = fopen(name, "rb");
  const size_t got = file ? fread(there, 1, sizeof there, file) : 0;
  if (file) fclose(file);
  return got == length && memcmp(there, bytes, length) == 0;
}

/* A rank's part has as many numbers as its rank, and one more. */
static void check_files(void) {
  double all[64], alone[600];
  char name[64];
  int count = 0, before = 0, length;
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i <= r; ++i, ++count) all[count] = r * 100 + i;
  for (int r = 0; r < rank; ++r) before += r + 1;
  write_parts(MPI_COMM_WORLD, "parts.dat", all + before, rank + 1);
  MPI_Barrier(MPI_COMM_WORLD);
  tell("parallel-io", has("parts.dat", all, (size_t)count * sizeof *all));
  char* text = read_for_all(MPI_COMM_WORLD, "parts.dat", &length);
  char* none = read_for_all(MPI_COMM_WORLD, "no-such.dat", &before);
  const int same = text && length == count * (int)sizeof *all && memcmp(text, all, (size_t)length) == 0;
  tell("read-once", same && !none && before == -1);
  free(text);
  snprintf(name, sizeof name, "values.%d", rank);
  const int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  int written = file >= 0;
  for (int i = 0; i < 600; ++i) alone[i] = rank + i;
  for (int i = 0; i < 600; ++i) written = written && write_later(file, &alone[i], sizeof *alone);
  written = written && write_out(file) && close(file) == 0;
  tell("larger-io.collected", written && has(name, alone, sizeof alone));
}

/* Of 10 iterations: 3 and 7, counted from 0, and the last. */
static void check_output(void) {
  int due = 0;
  for (int i = 0; i < 10; ++i) due |= output_is_due(i, 10) << i;
  tell("less-output", EVERY == 4 && due == (1 << 3 | 1 << 7 | 1 << 9));
}

/* A rank's part has as many numbers as its rank, and one more. */
static void check_collectives(void) {
  enum { MOST = 8, EACH = 5 };
  double everything[MOST * MOST], gathered[MOST * MOST], part[MOST], data[EACH];
  double out[MOST][EACH], naive[MOST][EACH], at_once[MOST][EACH];
  int counts[MOST], all = 0, own = rank + 1, same = 1;
  const int root = 1;
  for (int r = 0; r < ranks; ++r) {
    counts[r] = r + 1;
    for (int i = 0; i <= r; ++i, ++all) everything[all] = r * 100 + i;
  }
  for (int i = 0; i < own; ++i) part[i] = rank * 100 + i;
  gather_parts(MPI_COMM_WORLD, root, part, own, MPI_DOUBLE, gathered, counts);
  tell("collective.gather", rank != root || memcmp(everything, gathered, (size_t)all * sizeof *everything) == 0);
  for (int i = 0; i < EACH; ++i) data[i] = rank == root ? i : 0;
  memset(part, 0, sizeof part);
  send_to_all(MPI_COMM_WORLD, root, data, EACH, MPI_DOUBLE);
  scatter_parts(MPI_COMM_WORLD, root, everything, counts, part, own, MPI_DOUBLE);
  for (int i = 0; i < EACH; ++i) same = same && data[i] == i;
  for (int i = 0; i < own; ++i) same = same && part[i] == rank * 100 + i;
  tell("collective.distribute", same);
  same = 1;
  for (int i = 0; i < EACH; ++i) data[i] = rank + i;
  combine_on_root(MPI_COMM_WORLD, root, data, part, EACH, MPI_DOUBLE, MPI_SUM);
  for (int i = 0; i < EACH; ++i) same = same && part[i] == ranks * (ranks - 1) / 2 + ranks * i;
  tell("collective.reduce", rank != root || same);
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < EACH; ++i) out[r][i] = rank * 1000 + r * 10 + i;
  for (int r = 0; r < ranks; ++r)
    MPI_Sendrecv(out[r], EACH, MPI_DOUBLE, r, 1, naive[r], EACH, MPI_DOUBLE, r, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  exchange_with_all(MPI_COMM_WORLD, out, at_once, EACH, MPI_DOUBLE);
  tell("collective.alltoall", memcmp(naive, at_once, (size_t)ranks * sizeof *naive) == 0);
}

/* A rank has a value for itself and as many for the next one as its rank has, and one more. The last rank has no data
   in a gather. */
static void check_few(void) {
  enum { MOST = 8 };
  double out[2 * MOST], naive[4 * MOST] = {0}, few[4 * MOST] = {0}, data = rank, all[MOST] = {0};
  int counts[MOST] = {0}, at[MOST], received[MOST] = {0}, to[MOST], same = 1;
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  counts[rank] = received[rank] = 1, counts[next] = rank + 1, received[before] = before + 1;
  for (int r = 0, i = 0, j = 0; r < ranks; i += counts[r], j += received[r], ++r) at[r] = i, to[r] = j;
  for (int i = 0; i < 2 * MOST; ++i) out[i] = rank * 100 + i;
  MPI_Alltoallv(out, counts, at, MPI_DOUBLE, naive, received, to, MPI_DOUBLE, MPI_COMM_WORLD);
  exchange_with_few(MPI_COMM_WORLD, (const char*)out, counts, at, (char*)few, received, to, MPI_DOUBLE);
  tell("sparse-exchange", memcmp(naive, few, sizeof few) == 0);
  create_with_data(MPI_COMM_WORLD, rank + 1 < ranks);
  if (with_data != MPI_COMM_NULL) MPI_Gather(&data, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, with_data);
  for (int r = 0; r < ranks; ++r) same = same && (rank || all[r] == (r + 1 < ranks ? r : 0));
  same = same && (with_data == MPI_COMM_NULL) == (rank + 1 == ranks);
  free_with_data();
  tell("smaller-communicator", same && with_data == MPI_COMM_NULL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  check_pack();
  check_collectives();
  check_reductions();
  check_created();
  check_exchanges();
  check_files();
  check_output();
  check_few();
  MPI_Finalize();
  return 0;
}
