/* gathers ROUNDS TRACERS MAP_BYTES LIMIT_KIB: the output of opatm brought to rank 0, of each tracer from each rank
 * eight small pieces and four maps: in blocking sends, in the library's collectives, and in collections: of one tracer,
 * of one tracer into places instead of a handler that copies, and of all. Prints the microseconds of the slowest rank,
 * tenth percentile and median, by way; all ways are taken in turn. */
#include <leadline_collections.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 8, MAPS = 4, PIECES = SMALL + MAPS, MOST_ROUNDS = 1000, WAYS = 5 };

static const size_t small_bytes[SMALL] = {64, 384, 384, 384, 192, 192, 192, 4096};

static int rank, ranks, tracers;
static size_t map_bytes, bytes_of[PIECES];
static size_t tracer_bytes;
static char* mine;          /* this rank's pieces of all tracers */
static char* buffer;        /* on rank 0: room for one tracer's pieces of all ranks */
static char* whole[PIECES]; /* on rank 0, of one tracer: all ranks' pieces, one after another */

static size_t offset_of(int piece) {
  size_t offset = 0;
  for (int p = 0; p < piece; ++p) offset += bytes_of[p];
  return offset;
}

static char* piece_of(int tracer, int piece) { return mine + (size_t)tracer * tracer_bytes + offset_of(piece); }

static void place(int from, int piece, const void* data) {
  memcpy(whole[piece] + (size_t)from * bytes_of[piece], data, bytes_of[piece]);
}

static void by_sends(void) {
  for (int t = 0; t < tracers; ++t) {
    for (int p = 0; p < PIECES && rank != 0; ++p) {
      MPI_Send(piece_of(t, p), (int)bytes_of[p], MPI_BYTE, 0, p, MPI_COMM_WORLD);
    }
    for (int from = 0; from < ranks && rank == 0; ++from) {
      for (int p = 0; p < PIECES; ++p) {
        char* at = from == 0 ? piece_of(t, p) : buffer;
        if (from > 0) MPI_Recv(at, (int)bytes_of[p], MPI_BYTE, from, p, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        place(from, p, at);
      }
    }
  }
}

/* The small pieces together, and each map. */
static void by_collectives(void) {
  const size_t summary = offset_of(SMALL);
  for (int t = 0; t < tracers; ++t) {
    MPI_Gather(piece_of(t, 0), (int)summary, MPI_BYTE, buffer, (int)summary, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int from = 0; from < ranks && rank == 0; ++from) {
      for (int p = 0; p < SMALL; ++p) place(from, p, buffer + (size_t)from * summary + offset_of(p));
    }
    for (int p = SMALL; p < PIECES; ++p) {
      MPI_Gather(piece_of(t, p), (int)bytes_of[p], MPI_BYTE, buffer, (int)bytes_of[p], MPI_BYTE, 0, MPI_COMM_WORLD);
      for (int from = 0; from < ranks && rank == 0; ++from) place(from, p, buffer + (size_t)from * bytes_of[p]);
    }
  }
}

static leadline_face face_of(char* first, size_t bytes) {
  const leadline_face face = {first, 8, 1, {(int)(bytes / 8)}, {8}};
  return face;
}

static int take(void* context, int field, int from, size_t offset, void* data, size_t bytes) {
  (void)context;
  memcpy(whole[field % PIECES] + (size_t)from * bytes_of[field % PIECES] + offset, data, bytes);
  return 0;
}

/* A plan of tracers. The pieces have places, or a handler. */
static leadline_collection* plan_of(int first, int many, int places, size_t limit) {
  leadline_collection* plan = leadline_collection_create(MPI_COMM_WORLD, LEADLINE_TO_ROOT, 0);
  for (int n = 0; n < many * PIECES; ++n) {
    char name[32];
    snprintf(name, sizeof name, "piece %d", n);
    const leadline_face face = face_of(piece_of(first + n / PIECES, n % PIECES), bytes_of[n % PIECES]);
    const int field = leadline_collection_field(plan, name, &face);
    if (rank == 0 && !places) leadline_collection_handle(plan, field, take, NULL);
    for (int from = 0; from < ranks && rank == 0 && places; ++from) {
      const leadline_face there = face_of(whole[n] + (size_t)from * bytes_of[n], bytes_of[n]);
      leadline_collection_place(plan, field, from, &there);
    }
  }
  if (leadline_collection_commit(plan, limit) != LEADLINE_SEGMENTS_OK) {
    fprintf(stderr, "%s\n", leadline_collection_message(plan));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return plan;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  static double times[WAYS][MOST_ROUNDS];
  static const char* const names[WAYS] = {"sends", "collectives", "a tracer", "a tracer, places", "all tracers"};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? atoi(argv[1]) : 21;
  tracers = argc > 2 ? atoi(argv[2]) : 51;
  map_bytes = argc > 3 ? (size_t)atol(argv[3]) : 4096;
  const size_t limit = argc > 4 ? (size_t)atol(argv[4]) << 10 : 1 << 20;
  for (int p = 0; p < PIECES; ++p) {
    bytes_of[p] = p < SMALL ? small_bytes[p] : map_bytes;
    tracer_bytes += bytes_of[p];
    whole[p] = calloc((size_t)ranks, bytes_of[p]);
  }
  mine = malloc(tracer_bytes * (size_t)tracers);
  buffer = malloc(tracer_bytes * (size_t)ranks);
  leadline_collection** one = malloc((size_t)tracers * sizeof *one);
  leadline_collection** placed = malloc((size_t)tracers * sizeof *placed);
  for (int t = 0; t < tracers; ++t) {
    one[t] = plan_of(t, 1, 0, limit);
    placed[t] = plan_of(t, 1, 1, limit);
  }
  leadline_collection* many = plan_of(0, tracers, 0, limit);
  for (int turn = 0; turn < rounds * WAYS; ++turn) {
    const int round = turn / WAYS, way = (turn + round) % WAYS;
    memset(mine, rank + 1,
           tracer_bytes * (size_t)tracers); /* as a model would: the last round's must not be in another's cache */
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    if (way == 0) by_sends();
    if (way == 1) by_collectives();
    for (int t = 0; t < tracers && way == 2; ++t) leadline_collection_run(one[t]);
    for (int t = 0; t < tracers && way == 3; ++t) leadline_collection_run(placed[t]);
    if (way == 4) leadline_collection_run(many);
    const double took = 1e6 * (MPI_Wtime() - begin);
    MPI_Allreduce(&took, &times[way][round], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int from = 0; from < ranks && rank == 0; ++from) {
      for (int p = 0; p < PIECES; ++p) {
        if (whole[p][(size_t)(from + 1) * bytes_of[p] - 1] != from + 1) MPI_Abort(MPI_COMM_WORLD, 2);
        memset(whole[p] + (size_t)from * bytes_of[p], 0, bytes_of[p]);
      }
    }
  }
  for (int way = 0; way < WAYS && rank == 0; ++way) {
    qsort(times[way], (size_t)rounds, sizeof *times[way], by_size);
    printf("%s\t%.0f\t%.0f\n", names[way], times[way][rounds / 10], times[way][rounds / 2]);
  }
  size_t used = 0;
  const int segments = leadline_collection_in_use(many, &used);
  if (rank == 0) printf("segments in use\t%d\t%zu\n", segments, used);
  for (int t = 0; t < tracers; ++t) {
    leadline_collection_free(&one[t]);
    leadline_collection_free(&placed[t]);
  }
  leadline_collection_free(&many);
  MPI_Finalize();
  return 0;
}
