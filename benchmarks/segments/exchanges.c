/* An exchange of faces between two ranks, or of a rank with itself, written by hand in three ways and by packed
 * exchanges, one after the other.
 *
 *   exchanges ROUNDS FIELDS BYTES PIECE [every] [steps]
 *
 * FIELDS faces of BYTES each, in pieces of PIECE bytes (BYTES: contiguous); `every`: every number of segments; `steps`:
 * the times are those of whole steps.
 *
 * Prints, for each way, the median over the rounds of the time of an exchange in microseconds, on the rank where it
 * took longer. A round does each way several times in turn, so that what disturbs the machine meets all of them. Where
 * the faces of all fields are 8 kB or more, each exchange comes after something like a step of a program: memory that
 * is not exchanged is gone through, and the faces are written; `auto` tries its forms in the same way.
 */
#include <leadline_segments.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 64, MOST_ROUNDS = 2001, MOST_WAYS = 300 };

static int rank, other, fields, bytes, piece, stride, with_steps, whole_steps;
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

/* As most programs have it: the next field waits until the one before has arrived. */
static void in_turn(leadline_segments* none) {
  (void)none;
  for (int f = 0; f < fields; ++f) {
    MPI_Request requests[2];
    MPI_Irecv(received(f), 1, face, other, f, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(sent(f), 1, face, other, f, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

/* As programs do it: a loop over pieces, the compiler's best. */
static void copy(char* restrict to, ptrdiff_t to_step, const char* restrict from, ptrdiff_t from_step) {
  if (piece == 8) {
    for (int n = 0; n < bytes / 8; ++n) memcpy(to + n * to_step, from + n * from_step, 8);
  } else {
    for (int n = 0; n < bytes / piece; ++n) memcpy(to + n * to_step, from + n * from_step, (size_t)piece);
  }
}

/* When the copying of the last `packed` was over, when its message was here, and when it was copied again. */
static double packed_s, transferred_s, unpacked_s;

static void packed(leadline_segments* none) {
  (void)none;
  MPI_Request requests[2];
  MPI_Irecv(in, fields * bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[0]);
  for (int f = 0; f < fields; ++f) copy(out + (size_t)f * bytes, piece, sent(f), stride);
  packed_s = MPI_Wtime();
  MPI_Isend(out, fields * bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  transferred_s = MPI_Wtime();
  for (int f = 0; f < fields; ++f) copy(received(f), stride, in + (size_t)f * bytes, piece);
  unpacked_s = MPI_Wtime();
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

static void add_counts(int segments) {
  char name[32];
  snprintf(name, sizeof name, "segments %d pack", segments);
  add(name, by_plan, plan_of(segments, LEADLINE_SEGMENTS_PACK, -1));
  snprintf(name, sizeof name, "segments %d datatype", segments);
  add(name, by_plan, plan_of(segments, LEADLINE_SEGMENTS_DATATYPE, -1));
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

static int two_on_a_node(void) {
  MPI_Comm node;
  int together;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &together);
  MPI_Comm_free(&node);
  return together == 2;
}

/* Nanoseconds in which a cache line goes from one rank to the other: short where they share a cache. 0 if they share no
 * memory. */
static double line_ns(void) {
  enum { BATCHES = 20, BOUNCES = 200 };
  if (!two_on_a_node()) return 0.0;
  volatile int* line;
  MPI_Aint room;
  int unit;
  MPI_Win window;
  MPI_Win_allocate_shared(rank == 0 ? 64 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, (void*)&line, &window);
  MPI_Win_shared_query(window, 0, &room, &unit, (void*)&line);
  if (rank == 0) __atomic_store_n(line, 0, __ATOMIC_SEQ_CST);
  double shortest = 1e300;
  for (int batch = 0; batch < BATCHES; ++batch) {
    MPI_Barrier(MPI_COMM_WORLD);
    const int first = batch * BOUNCES;
    const double begin = MPI_Wtime();
    for (int n = first; n < first + BOUNCES; ++n) {
      if (n % 2 != rank) continue;
      while (__atomic_load_n(line, __ATOMIC_ACQUIRE) != n) {
      }
      __atomic_store_n(line, n + 1, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(line, __ATOMIC_ACQUIRE) < first + BOUNCES) {
    }
    const double took = (MPI_Wtime() - begin) / BOUNCES * 1e9;
    if (took < shortest) shortest = took;
  }
  MPI_Win_free(&window);
  return shortest;
}

/* Where the time of packing by hand goes: a line `parts` with the medians of packing, transfer and unpacking. */
static void parts_of_packed(int rounds) {
  static double parts[3][MOST_ROUNDS];
  for (int round = 0; round < rounds; ++round) {
    if (with_steps) compute();
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    packed(NULL);
    parts[0][round] = packed_s - begin;
    parts[1][round] = transferred_s - packed_s;
    parts[2][round] = unpacked_s - transferred_s;
  }
  if (rank != 0) return;
  printf("parts");
  for (int part = 0; part < 3; ++part) {
    qsort(parts[part], (size_t)rounds, sizeof(double), by_value);
    printf("\t%.2f", parts[part][rounds / 2] * 1e6);
  }
  printf("\n");
}

/* Seconds an exchange takes where the program uses this way only: the first one finds the caches full of another's
 * buffers, and is not counted. */
static double mean_of(const Way* way) {
  enum { IN_A_ROW = 10, STEPS = 3 };
  double seconds = 0.0;
  if (!with_steps) {
    way->exchange(way->plan);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int n = 0; n < IN_A_ROW; ++n) way->exchange(way->plan);
    return (MPI_Wtime() - begin) / IN_A_ROW;
  }
  for (int n = -1; n < STEPS; ++n) {
    const double step_began = MPI_Wtime();
    compute();
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = whole_steps ? step_began : MPI_Wtime();
    way->exchange(way->plan);
    if (n >= 0) seconds += MPI_Wtime() - begin;
  }
  return seconds / STEPS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  other = ranks - 1 - rank;
  if (argc < 5) return 2;
  const int rounds = atoi(argv[1]);
  const int every = argc > 5 && strcmp(argv[5], "every") == 0;
  whole_steps = argc > 5 && strcmp(argv[argc - 1], "steps") == 0;
  fields = atoi(argv[2]), bytes = atoi(argv[3]), piece = atoi(argv[4]);
  stride = piece == bytes ? piece : 4 * piece;
  for (int f = 0; f < fields; ++f) arrays[f] = calloc(2, (size_t)(bytes / piece) * stride + 128);
  out = calloc((size_t)fields, (size_t)bytes);
  in = calloc((size_t)fields, (size_t)bytes);
  other_data = calloc(1, STEP_BYTES);
  with_steps = fields * bytes >= 8192;
  MPI_Type_create_hvector(bytes / piece, piece, stride, MPI_BYTE, &face);
  MPI_Type_commit(&face);
  all_sent = all_faces(sent);
  all_received = all_faces(received);
  add("hand: in turn", in_turn, NULL);
  add("hand: by field", by_field, NULL);
  add("hand: packed", packed, NULL);
  add("hand: struct", by_struct, NULL);
  leadline_segments* tuned = plan_of(LEADLINE_SEGMENTS_AUTO, LEADLINE_SEGMENTS_BY_SIZE, -1);
  int trials = 0;
  const double began_s = MPI_Wtime();
  while (!leadline_segments_tuned(tuned, NULL, NULL)) {
    if (with_steps) compute();
    leadline_segments_exchange(tuned);
  }
  const double tuning_s = MPI_Wtime() - began_s;
  double lost_s;
  leadline_segments_tuned(tuned, &trials, &lost_s);
  add("segments auto", by_plan, tuned);
  add("segments by size", by_plan, plan_of(1, LEADLINE_SEGMENTS_BY_SIZE, -1));
  /* The sweep: fields in a segment halved each time, or every number of segments. */
  int last = 0;
  for (int each = fields; each >= 1; each = each == 1 ? 0 : every ? each - 1 : (each + 1) / 2) {
    const int segments = (fields + each - 1) / each;
    if (segments != last) add_counts(segments);
    last = segments;
  }
  const double line_before = line_ns();
  int order[MOST_WAYS];
  for (int n = 0; n < n_ways; ++n) order[n] = n;
  for (int round = -3; round < rounds; ++round) {
    shuffle(order, n_ways);
    for (int n = 0; n < n_ways; ++n) {
      Way* way = &ways[order[n]];
      const double seconds = mean_of(way);
      if (round >= 0) way->times[round] = seconds;
    }
  }
  int sizes[MOST_FIELDS];
  leadline_segments_method method;
  const int chosen = leadline_segments_in_use(tuned, sizes, &method, NULL);
  for (int n = 0; n < n_ways; ++n) {
    double longer[MOST_ROUNDS];
    MPI_Reduce(ways[n].times, longer, rounds, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank != 0) continue;
    /* The rounds are of two kinds in turn: the fastest way is chosen by one, and its time taken from the other. */
    double halves[2][MOST_ROUNDS];
    for (int round = 0; round < rounds; ++round) halves[round % 2][round / 2] = longer[round];
    qsort(longer, (size_t)rounds, sizeof *longer, by_value);
    for (int half = 0; half < 2; ++half) qsort(halves[half], (size_t)(rounds / 2), sizeof(double), by_value);
    printf("%s\t%.2f\t%.2f\t%.2f\t%.2f\n", ways[n].name, longer[rounds / 2] * 1e6, longer[rounds / 10] * 1e6,
           halves[0][rounds / 20] * 1e6, halves[1][rounds / 20] * 1e6);
  }
  parts_of_packed(rounds);
  const double line_after = line_ns();
  if (rank == 0) {
    printf("line\t%.0f\t%.0f\n", line_before, line_after);
    static const char* const names[] = {"by size", "packed", "datatype"};
    const double step_s = (tuning_s - lost_s) / trials;
    printf("auto\t%d segments, %s; %d trials in %.2f ms, of which %.2f ms were lost: %.2f %% of 1000 steps\n", chosen,
           names[method], trials, tuning_s * 1e3, lost_s * 1e3, lost_s / step_s / 10);
  }
  for (int n = 0; n < n_ways; ++n) leadline_segments_free(&ways[n].plan);
  MPI_Finalize();
  return 0;
}
