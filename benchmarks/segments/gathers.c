/* gathers ROUNDS TRACERS MAP_BYTES LIMIT_KIB: the output of opatm brought to rank 0, of each tracer from each rank
 * eight small pieces and four maps: in blocking sends, in collectives, and in segments. Prints the microseconds of the
 * slowest rank, tenth percentile and median, by way; all ways are taken in turn. */
#include <leadline_collections.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 8, MAPS = 4, PIECES = SMALL + MAPS, MOST_ROUNDS = 1000 };

static const size_t small_bytes[SMALL] = {64, 384, 384, 384, 192, 192, 192, 4096};

static int rank, ranks, tracers;
static size_t map_bytes, bytes_of[PIECES];
static char *mine, *buffer; /* one tracer's pieces of this rank, and room for as many */
static char* whole[PIECES]; /* on rank 0, of one tracer: all ranks' pieces, one after another */

static char* piece_of(char* pieces, int piece) {
  for (int p = 0; p < piece; ++p) pieces += bytes_of[p];
  return pieces;
}

static void place(int from, int piece, const void* data) {
  memcpy(whole[piece] + (size_t)from * bytes_of[piece], data, bytes_of[piece]);
}

static void by_sends(void) {
  for (int t = 0; t < tracers; ++t) {
    for (int p = 0; p < PIECES && rank != 0; ++p) {
      MPI_Send(piece_of(mine, p), (int)bytes_of[p], MPI_BYTE, 0, p, MPI_COMM_WORLD);
    }
    for (int from = 0; from < ranks && rank == 0; ++from) {
      for (int p = 0; p < PIECES; ++p) {
        char* at = from == 0 ? piece_of(mine, p) : buffer;
        if (from > 0) MPI_Recv(at, (int)bytes_of[p], MPI_BYTE, from, p, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        place(from, p, at);
      }
    }
  }
}

/* The small pieces together, and each map. */
static void by_collectives(void) {
  const size_t summary = (size_t)(piece_of(NULL, SMALL) - (char*)NULL);
  for (int t = 0; t < tracers; ++t) {
    MPI_Gather(mine, (int)summary, MPI_BYTE, buffer, (int)summary, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int from = 0; from < ranks && rank == 0; ++from) {
      for (int p = 0; p < SMALL; ++p) place(from, p, piece_of(buffer + (size_t)from * summary, p));
    }
    for (int p = SMALL; p < PIECES; ++p) {
      MPI_Gather(piece_of(mine, p), (int)bytes_of[p], MPI_BYTE, buffer, (int)bytes_of[p], MPI_BYTE, 0, MPI_COMM_WORLD);
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

/* A plan of so many tracers. */
static leadline_collection* plan_of(int many, size_t limit) {
  leadline_collection* plan = leadline_collection_create(MPI_COMM_WORLD, LEADLINE_TO_ROOT, 0);
  for (int n = 0; n < many * PIECES; ++n) {
    char name[32];
    snprintf(name, sizeof name, "piece %d", n);
    const leadline_face face = face_of(piece_of(mine, n % PIECES), bytes_of[n % PIECES]);
    const int field = leadline_collection_field(plan, name, &face);
    if (rank == 0) leadline_collection_handle(plan, field, take, NULL);
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
  static double times[4][MOST_ROUNDS];
  static const char* const names[4] = {"sends", "collectives", "a tracer's segment", "segments"};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? atoi(argv[1]) : 21;
  tracers = argc > 2 ? atoi(argv[2]) : 51;
  map_bytes = argc > 3 ? (size_t)atol(argv[3]) : 4096;
  const size_t limit = argc > 4 ? (size_t)atol(argv[4]) << 10 : 1 << 20;
  size_t all = 0;
  for (int p = 0; p < PIECES; ++p) {
    bytes_of[p] = p < SMALL ? small_bytes[p] : map_bytes;
    all += bytes_of[p];
    whole[p] = calloc((size_t)ranks, bytes_of[p]);
  }
  mine = malloc(all);
  buffer = malloc(all * (size_t)ranks);
  memset(mine, rank + 1, all);
  leadline_collection* one = plan_of(1, limit);
  leadline_collection* many = plan_of(tracers, limit);
  for (int turn = 0; turn < rounds * 4; ++turn) {
    const int round = turn / 4, way = (turn + round) % 4;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    if (way == 0) by_sends();
    if (way == 1) by_collectives();
    for (int t = 0; t < tracers && way == 2; ++t) leadline_collection_run(one);
    if (way == 3) leadline_collection_run(many);
    const double took = 1e6 * (MPI_Wtime() - begin);
    MPI_Allreduce(&took, &times[way][round], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int from = 0; from < ranks && rank == 0; ++from) {
      for (int p = 0; p < PIECES; ++p) {
        if (whole[p][(size_t)(from + 1) * bytes_of[p] - 1] != from + 1) MPI_Abort(MPI_COMM_WORLD, 2);
        memset(whole[p] + (size_t)from * bytes_of[p], 0, bytes_of[p]);
      }
    }
  }
  for (int way = 0; way < 4 && rank == 0; ++way) {
    qsort(times[way], (size_t)rounds, sizeof *times[way], by_size);
    printf("%s\t%.0f\t%.0f\n", names[way], times[way][rounds / 10], times[way][rounds / 2]);
  }
  size_t used = 0;
  const int segments = leadline_collection_in_use(many, &used);
  if (rank == 0) printf("segments in use\t%d\t%zu\n", segments, used);
  leadline_collection_free(&one);
  leadline_collection_free(&many);
  MPI_Finalize();
  return 0;
}
