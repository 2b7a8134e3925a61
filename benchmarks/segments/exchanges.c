/* An exchange of faces between two ranks, or of a rank with itself, written by hand in three ways and by packed
 * exchanges, one after the other.
 *
 *   exchanges ROUNDS FIELDS BYTES PIECE     FIELDS faces of BYTES each, in pieces of PIECE bytes (BYTES: contiguous)
 *
 * Prints, for each way, the median over the rounds of the time of an exchange in microseconds, on the rank where it
 * took longer. A round does each way several times in turn, so that what disturbs the machine meets all of them. Where
 * the faces of all fields are 100 kB or more, each exchange comes after something like a step of a program: memory that
 * is not exchanged is gone through, and the faces are written; `auto` tries its forms in the same way.
 */
#include <leadline_segments.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 64, MOST_ROUNDS = 2001, MOST_WAYS = 40 };

static int rank, other, fields, bytes, piece, stride;
static char* arrays[MOST_FIELDS];
static char *out, *in;
static MPI_Datatype face;
static MPI_Datatype all_sent, all_received;

static char* sent(int field) { return arrays[field]; }
static char* received(int field) { return arrays[field] + (size_t)(bytes / piece) * stride + 64; }

static void by_field(leadline_segments* none) {
  (void)none;
  MPI_Request requests[2 * MOST_FIELDS];
  for (int f = 0; f < fields; ++f) MPI_Irecv(received(f), 1, face, other, f, MPI_COMM_WORLD, &requests[f]);
  for (int f = 0; f < fields; ++f) MPI_Isend(sent(f), 1, face, other, f, MPI_COMM_WORLD, &requests[fields + f]);
  MPI_Waitall(2 * fields, requests, MPI_STATUSES_IGNORE);
}

/* As programs do it: a loop over pieces, the compiler's best. */
static void copy(char* restrict to, ptrdiff_t to_step, const char* restrict from, ptrdiff_t from_step) {
  if (piece == 8) {
    for (int n = 0; n < bytes / 8; ++n) memcpy(to + n * to_step, from + n * from_step, 8);
  } else {
    for (int n = 0; n < bytes / piece; ++n) memcpy(to + n * to_step, from + n * from_step, (size_t)piece);
  }
}

static void packed(leadline_segments* none) {
  (void)none;
  MPI_Request requests[2];
  MPI_Irecv(in, fields * bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[0]);
  for (int f = 0; f < fields; ++f) copy(out + (size_t)f * bytes, piece, sent(f), stride);
  MPI_Isend(out, fields * bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  for (int f = 0; f < fields; ++f) copy(received(f), stride, in + (size_t)f * bytes, piece);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

static void by_struct(leadline_segments* none) {
  (void)none;
  MPI_Request requests[2];
  MPI_Irecv(MPI_BOTTOM, 1, all_received, other, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(MPI_BOTTOM, 1, all_sent, other, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static MPI_Datatype all_faces(char* (*where)(int)) {
  MPI_Aint places[MOST_FIELDS];
  MPI_Datatype type;
  for (int f = 0; f < fields; ++f) MPI_Get_address(where(f), &places[f]);
  MPI_Type_create_hindexed_block(fields, 1, places, face, &type);
  MPI_Type_commit(&type);
  return type;
}

enum { STEP_BYTES = 4 << 20 };
static char* other_data;

static void compute(void) {
  for (size_t n = 0; n < STEP_BYTES; n += 64) ++other_data[n];
  for (int f = 0; f < fields; ++f) {
    for (int n = 0; n < bytes / piece; ++n) memset(sent(f) + (size_t)n * stride, f + n, (size_t)piece);
  }
}

static void by_plan(leadline_segments* plan) { leadline_segments_exchange(plan); }

static leadline_segments* plan_of(int segments, leadline_segments_method method, int persistent) {
  leadline_segments* plan = leadline_segments_create(MPI_COMM_WORLD);
  leadline_segments_neighbour(plan, other, 0, 0);
  for (int f = 0; f < fields; ++f) {
    const leadline_face one = {sent(f), (size_t)piece, 1, {bytes / piece}, {stride}};
    const leadline_face other = {received(f), (size_t)piece, 1, {bytes / piece}, {stride}};
    leadline_segments_face(plan, leadline_segments_field(plan, "field"), 0, &one, &other);
  }
  leadline_segments_use(plan, method, persistent);
  if (leadline_segments_commit(plan, segments, NULL) != 0) {
    printf("%s\n", leadline_segments_message(plan));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return plan;
}

typedef struct {
  char name[32];
  void (*exchange)(leadline_segments*);
  leadline_segments* plan;
  double times[MOST_ROUNDS];
} Way;

static Way ways[MOST_WAYS];
static int n_ways;

static void add(const char* name, void (*exchange)(leadline_segments*), leadline_segments* plan) {
  snprintf(ways[n_ways].name, sizeof ways[n_ways].name, "%s", name);
  ways[n_ways].exchange = exchange;
  ways[n_ways++].plan = plan;
}

static int by_value(const void* a, const void* b) {
  const double one = *(const double*)a, other = *(const double*)b;
  return (one > other) - (one < other);
}

/* The same order on both ranks: another each time, so that no way always follows the same one. */
static void shuffle(int* order, int n) {
  static unsigned long long state = 1;
  for (int last = n - 1; last > 0; --last) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const int swapped = (int)((state >> 33) % (unsigned)(last + 1));
    const int kept = order[last];
    order[last] = order[swapped];
    order[swapped] = kept;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  other = ranks - 1 - rank;
  if (argc < 5) return 2;
  const int rounds = atoi(argv[1]);
  fields = atoi(argv[2]), bytes = atoi(argv[3]), piece = atoi(argv[4]);
  stride = piece == bytes ? piece : 4 * piece;
  for (int f = 0; f < fields; ++f) arrays[f] = calloc(2, (size_t)(bytes / piece) * stride + 128);
  out = calloc((size_t)fields, (size_t)bytes);
  in = calloc((size_t)fields, (size_t)bytes);
  other_data = calloc(1, STEP_BYTES);
  const int repeats = fields * bytes < 100000 ? 10 : 1;
  MPI_Type_create_hvector(bytes / piece, piece, stride, MPI_BYTE, &face);
  MPI_Type_commit(&face);
  all_sent = all_faces(sent);
  all_received = all_faces(received);
  add("hand: by field", by_field, NULL);
  add("hand: packed", packed, NULL);
  add("hand: struct", by_struct, NULL);
  leadline_segments* tuned = plan_of(LEADLINE_SEGMENTS_AUTO, LEADLINE_SEGMENTS_BY_SIZE, -1);
  int trials = 0;
  while (!leadline_segments_tuned(tuned, NULL, NULL)) {
    if (repeats == 1) compute();
    leadline_segments_exchange(tuned);
  }
  double lost_s;
  leadline_segments_tuned(tuned, &trials, &lost_s);
  add("segments auto", by_plan, tuned);
  add("segments by size", by_plan, plan_of(1, LEADLINE_SEGMENTS_BY_SIZE, -1));
  for (int segments = 1; segments <= fields; segments = segments == fields      ? fields + 1
                                                        : 4 * segments < fields ? 4 * segments
                                                                                : fields) {
    for (int persistent = 0; persistent < 2; ++persistent) {
      char name[32];
      snprintf(name, sizeof name, "segments %d pack%s", segments, persistent ? " again" : "");
      add(name, by_plan, plan_of(segments, LEADLINE_SEGMENTS_PACK, persistent));
      snprintf(name, sizeof name, "segments %d datatype%s", segments, persistent ? " again" : "");
      add(name, by_plan, plan_of(segments, LEADLINE_SEGMENTS_DATATYPE, persistent));
    }
  }
  int order[MOST_WAYS];
  for (int n = 0; n < n_ways; ++n) order[n] = n;
  for (int round = -3; round < rounds; ++round) {
    shuffle(order, n_ways);
    for (int n = 0; n < n_ways; ++n) {
      Way* way = &ways[order[n]];
      if (repeats == 1) compute();
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      for (int k = 0; k < repeats; ++k) way->exchange(way->plan);
      if (round >= 0) way->times[round] = (MPI_Wtime() - begin) / repeats;
    }
  }
  int sizes[MOST_FIELDS], persistent;
  leadline_segments_method method;
  const int chosen = leadline_segments_in_use(tuned, sizes, &method, &persistent);
  double of_auto_s = 1.0;
  for (int n = 0; n < n_ways; ++n) {
    double longer[MOST_ROUNDS];
    MPI_Reduce(ways[n].times, longer, rounds, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank != 0) continue;
    qsort(longer, (size_t)rounds, sizeof *longer, by_value);
    if (ways[n].plan == tuned) of_auto_s = longer[rounds / 10];
    printf("%s\t%.2f\t%.2f\n", ways[n].name, longer[rounds / 2] * 1e6, longer[rounds / 10] * 1e6);
  }
  if (rank == 0) {
    printf("auto\t%d segments, %s%s; %d trials that cost %.1f exchanges\n", chosen,
           method == LEADLINE_SEGMENTS_PACK ? "packed" : "datatype", persistent ? ", persistent" : "", trials,
           lost_s / of_auto_s);
  }
  for (int n = 0; n < n_ways; ++n) leadline_segments_free(&ways[n].plan);
  MPI_Finalize();
  return 0;
}
