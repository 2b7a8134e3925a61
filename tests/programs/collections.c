/* All-to-one and one-to-all of many fields, and wrong plans.
 *
 *   collections random FIRST COUNT   COUNT random collections from seed FIRST on; every byte is known in advance
 *   collections wrong CASE...        wrong plans, one after the other; each prints "rank R: CASE: code C: MESSAGE"
 *   collections memory FIELD LIMIT   a field of FIELD MiB in all goes to a handler with a limit of LIMIT MiB, and back;
 *                                    prints what the root's peak memory grew by, and its buffers, in KiB
 */
#include <leadline_collections.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_FIELDS = 9, MOST_RANKS = 8, ROUNDS = 2 };

static int rank, ranks;

static int is(const char* one, const char* other) { return strcmp(one, other) == 0; }

/* --- Random collections ------------------------------------------------------------------------------------------- */

static unsigned state;

static int below(int n) {
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 8) % (unsigned)n);
}

/* One field: rank r's part is a box of rows[r] x columns[r] elements, which lies in an array of longer rows. */
typedef struct {
  size_t element;
  int rows[MOST_RANKS], columns[MOST_RANKS];
  size_t start[MOST_RANKS]; /* of its place, on the root, in elements */
  int place_row;            /* elements from row to row of the places */
  int part_row;
  int handled;
  size_t placed; /* elements of all places and what is between */
  unsigned char *part, *places;
  size_t next[MOST_RANKS]; /* the offset that the handler expects */
} Box;

typedef struct {
  Box* boxes;
  int round, wrong, last_field, last_rank, to_root, fails_at;
} Checked;

static unsigned char value(int field, int owner, size_t byte, int round) {
  return (unsigned char)(byte * 31 + (size_t)(field * 7 + owner * 101 + round * 13 + 1));
}

static Box random_box(int root) {
  static const size_t elements[] = {1, 4, 8, 8, 24};
  Box box = {.element = elements[below(5)], .handled = below(3) == 0};
  const int by_columns = below(2), contiguous = below(2), large = below(6) == 0, gap = below(3);
  int widest = 0;
  for (int r = 0; r < ranks; ++r) {
    box.rows[r] = below(4) == 0 ? 0 : 1 + below(large ? 40 : 9);
    box.columns[r] = 1 + below(large ? 600 : 12);
    if (by_columns) box.rows[r] = box.rows[0];
    if (box.columns[r] > widest) widest = box.columns[r];
  }
  box.part_row = box.columns[rank] + (contiguous ? 0 : gap + 1);
  size_t at = 0;
  for (int r = 0; r < ranks; ++r) {
    if (contiguous) box.columns[r] = widest; /* each place in one piece */
    box.start[r] = at;
    at += by_columns ? (size_t)box.columns[r] : (size_t)box.rows[r] * (size_t)(widest + (contiguous ? 0 : gap));
  }
  if (contiguous) box.part_row = widest;
  box.place_row = by_columns ? (int)at : widest + (contiguous ? 0 : gap);
  box.placed = by_columns ? at * (size_t)(box.rows[0] + 1) : at + (size_t)widest;
  box.part = malloc(box.element * ((size_t)box.rows[rank] * box.part_row + 1));
  if (rank == root && !box.handled) box.places = malloc(box.element * box.placed + 1);
  return box;
}

static leadline_face face(unsigned char* at, const Box* box, int owner, int row) {
  return (leadline_face){at,
                         box->element,
                         2,
                         {box->rows[owner], box->columns[owner]},
                         {(ptrdiff_t)(row * box->element), (ptrdiff_t)box->element}};
}

static size_t bytes_of(const Box* box, int owner) {
  return box->element * (size_t)box->rows[owner] * (size_t)box->columns[owner];
}

/* Fills the box in the owner's part or place with its bytes, or counts those that differ. */
static int visit(unsigned char* at, const Box* box, int field, int owner, int row, int round, int fill) {
  int wrong = 0;
  size_t byte = 0;
  for (int r = 0; r < box->rows[owner]; ++r) {
    for (size_t n = 0; n < box->columns[owner] * box->element; ++n, ++byte) {
      unsigned char* one = at + (size_t)r * row * box->element + n;
      if (fill) *one = value(field, owner, byte, round);
      wrong += *one != value(field, owner, byte, round);
    }
  }
  return wrong;
}

static int handle(void* context, int field, int owner, size_t offset, void* data, size_t bytes) {
  Checked* checked = context;
  Box* box = &checked->boxes[field];
  unsigned char* at = data;
  checked->wrong += field < checked->last_field || !box->handled || bytes == 0;
  checked->wrong += box->next[owner] != offset || offset + bytes > bytes_of(box, owner);
  checked->last_field = field;
  box->next[owner] = offset + bytes;
  for (size_t n = 0; n < bytes; ++n) {
    const unsigned char known = value(field, owner, offset + n, checked->round);
    if (!checked->to_root) at[n] = known;
    checked->wrong += at[n] != known;
  }
  return 0;
}

static int round_trip(leadline_collection* c, Checked* checked, int fields, int root) {
  for (int f = 0; f < fields; ++f) {
    Box* box = &checked->boxes[f];
    memset(box->part, 0, box->element * ((size_t)box->rows[rank] * box->part_row + 1));
    if (checked->to_root) visit(box->part, box, f, rank, box->part_row, checked->round, 1);
    memset(box->next, 0, sizeof box->next);
    if (box->places == NULL) continue;
    memset(box->places, 0, box->element * box->placed + 1);
    for (int r = 0; r < ranks && !checked->to_root; ++r) {
      visit(box->places + box->start[r] * box->element, box, f, r, box->place_row, checked->round, 1);
    }
  }
  checked->wrong = 0;
  checked->last_field = 0;
  if (leadline_collection_run(c) != 0) return 1;
  for (int f = 0; f < fields; ++f) {
    Box* box = &checked->boxes[f];
    checked->wrong += visit(box->part, box, f, rank, box->part_row, checked->round, 0);
    for (int r = 0; r < ranks && rank == root; ++r) {
      if (box->handled) {
        checked->wrong += box->next[r] != bytes_of(box, r);
      } else {
        unsigned char* place = box->places + box->start[r] * box->element;
        checked->wrong += visit(place, box, f, r, box->place_row, checked->round, 0);
        visit(place, box, f, r, box->place_row, checked->round, 1);
        for (int k = 0; k < box->rows[r]; ++k) { /* so that only what lies between the places is left */
          memset(place + (size_t)k * box->place_row * box->element, 0, box->columns[r] * box->element);
        }
      }
    }
    if (box->places == NULL) continue;
    for (size_t n = 0; n < box->element * box->placed; ++n) checked->wrong += box->places[n] != 0;
  }
  return checked->wrong;
}

static int random_collection(unsigned seed) {
  state = seed * 7919u + 1u;
  const int fields = 1 + below(MOST_FIELDS), root = below(ranks), to_root = below(2);
  const size_t limits[] = {0, 24 * MOST_RANKS, 400, 5000, 1 << 20}, limit = limits[below(5)];
  Box boxes[MOST_FIELDS];
  Checked checked = {.boxes = boxes, .to_root = to_root};
  leadline_collection* c =
      leadline_collection_create(MPI_COMM_WORLD, to_root ? LEADLINE_TO_ROOT : LEADLINE_FROM_ROOT, root);
  for (int f = 0; f < fields; ++f) {
    char name[16];
    snprintf(name, sizeof name, "field%d", f);
    boxes[f] = random_box(root);
    Box* box = &boxes[f];
    const leadline_face part = face(box->part, box, rank, box->part_row);
    leadline_collection_field(c, name, &part);
    if (rank == root && box->handled) leadline_collection_handle(c, f, handle, &checked);
    for (int r = 0; r < ranks && rank == root && !box->handled; ++r) {
      const leadline_face place = face(box->places + box->start[r] * box->element, box, r, box->place_row);
      leadline_collection_place(c, f, r, &place);
    }
  }
  int wrong = leadline_collection_commit(c, limit);
  if (wrong != 0) printf("seed %u rank %d: %s\n", seed, rank, leadline_collection_message(c));
  for (checked.round = 0; checked.round < ROUNDS && wrong == 0; ++checked.round) {
    wrong = round_trip(c, &checked, fields, root);
    if (wrong != 0) printf("seed %u rank %d round %d: %d wrong\n", seed, rank, checked.round, wrong);
  }
  size_t buffer;
  leadline_collection_in_use(c, &buffer);
  if (rank == root && limit > 0 && buffer > limit)
    printf("seed %u rank %d: buffer of %zu\n", seed, rank, buffer), wrong = 1;
  leadline_collection_free(&c);
  for (int f = 0; f < fields; ++f) free(boxes[f].part), free(boxes[f].places);
  return wrong != 0;
}

static int random_collections(unsigned first, unsigned count) {
  int wrong = 0, all;
  for (unsigned seed = first; seed < first + count; ++seed) wrong += random_collection(seed);
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%u collections on %d ranks, %d wrong\n", count, ranks, all);
  return all != 0;
}

/* --- Wrong plans -------------------------------------------------------------------------------------------------- */

static leadline_face line(double* array, int first, int count) {
  return (leadline_face){array + first, sizeof(double), 1, {count}, {sizeof(double)}};
}

static int fail_always(void* context, int field, int owner, size_t offset, void* data, size_t bytes) {
  (void)field, (void)owner, (void)offset, (void)data, (void)bytes;
  ++*(int*)context;
  return 1;
}

static int wrong_plan(const char* kind) {
  enum { POINTS = 1 << 16 };
  const size_t bytes = POINTS * sizeof(double);
  const int odd = rank == ranks - 1, root = is(kind, "root") && odd ? 1 : 0; /* the rank that is wrong */
  double* arrays[2];
  for (int n = 0; n < 2; ++n) arrays[n] = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int direction = is(kind, "direction") && odd ? LEADLINE_FROM_ROOT : LEADLINE_TO_ROOT;
  leadline_collection* c =
      leadline_collection_create(MPI_COMM_WORLD, direction, is(kind, "outside") && odd ? ranks : root);
  const char* names[2] = {"salt", is(kind, "name") && odd ? "heat" : "temperature"};
  int called = 0;
  for (int f = 0; f < (is(kind, "fields") && odd ? 1 : 2); ++f) {
    leadline_face part = line(arrays[f], 0, is(kind, "size") && odd && f == 1 ? 51 : 50);
    if (is(kind, "null") && odd && f == 1) part.first = NULL;
    if (is(kind, "element") && odd && f == 1) part = (leadline_face){arrays[f], 4, 1, {100}, {4}};
    if (is(kind, "gap") && odd && f == 1) part.first = (void*)64;
    leadline_collection_field(c, names[f], &part);
    if (is(kind, "no place") && f == 1) continue;
    if ((is(kind, "place") && odd && f == 1)) leadline_collection_place(c, f, 0, &part);
    if (rank == root && ((is(kind, "handler") && f == 1) || (is(kind, "limit") && f == 0))) {
      leadline_collection_handle(c, f, fail_always, &called);
      continue;
    }
    for (int r = 0; r < ranks && rank == root; ++r) {
      const int early = is(kind, "overlap") && f == 1 && r == 2;
      const leadline_face place = line(arrays[f], 1000 + 50 * r - early, 50);
      leadline_collection_place(c, f, r, &place);
      if (is(kind, "two places") && f == 1 && r == 2) leadline_collection_place(c, f, r, &place);
    }
  }
  int code = 0;
  if (is(kind, "missing") && odd) {
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* busy with something else */
    return 0;
  }
  if (is(kind, "early")) code = leadline_collection_run(c);
  if (code == 0) code = leadline_collection_commit(c, is(kind, "limit") ? 8 : 0);
  if (code == 0 && is(kind, "freed") && odd) munmap(arrays[1], bytes);
  if (code == 0) code = leadline_collection_run(c);
  printf("rank %d: %s: code %d: %s\n", rank, kind, code, leadline_collection_message(c));
  if (called > 0) printf("rank %d: %s: called %d times\n", rank, kind, called);
  fflush(stdout);
  if (is(kind, "missing")) { /* the first to end ends the others: only when all have said it */
    for (int other = 1; other < ranks - 1 && rank == 0; ++other) {
      MPI_Recv(NULL, 0, MPI_BYTE, other, 78, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 0) _Exit(3);
    MPI_Send(NULL, 0, MPI_BYTE, 0, 78, MPI_COMM_WORLD);
    for (;;) pause();
  }
  leadline_collection_free(&c);
  return 0;
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

static long peak_kib(void) {
  char text[256];
  long peak = -1;
  FILE* file = fopen("/proc/self/status", "r");
  while (file != NULL && peak < 0 && fgets(text, sizeof text, file) != NULL) sscanf(text, "VmHWM: %ld kB", &peak);
  if (file != NULL) fclose(file);
  return peak;
}

static int sum_up(void* context, int field, int owner, size_t offset, void* data, size_t bytes) {
  (void)field;
  const unsigned char* at = data;
  size_t* taken = context;
  for (size_t n = 0; n < bytes; n += 4096) taken[1] += at[n] != (unsigned char)owner;
  taken[0] += bytes;
  (void)offset;
  return 0;
}

/* The root has no part: what it holds is the plan's. */
static int measure_memory(size_t field_bytes, size_t limit) {
  const size_t share = field_bytes / (size_t)(ranks - 1);
  unsigned char* part = rank == 0 ? NULL : malloc(share);
  if (part != NULL) memset(part, rank, share);
  const leadline_face face = {part, 1, 1, {(int)share}, {1}};
  size_t taken[2] = {0, 0}, buffer;
  leadline_collection* warm = leadline_collection_create(MPI_COMM_WORLD, LEADLINE_TO_ROOT, 0);
  leadline_face little = face;
  little.count[0] = 1 << 20; /* the library's own memory for long messages is not ours */
  leadline_collection_field(warm, "warm", part == NULL ? NULL : &little);
  if (rank == 0) leadline_collection_handle(warm, 0, sum_up, taken);
  int code = leadline_collection_commit(warm, limit);
  if (code == 0) code = leadline_collection_run(warm);
  leadline_collection_free(&warm);
  const long before = peak_kib();
  taken[0] = 0;
  leadline_collection* c = leadline_collection_create(MPI_COMM_WORLD, LEADLINE_TO_ROOT, 0);
  leadline_collection_field(c, "large", part == NULL ? NULL : &face);
  if (rank == 0) leadline_collection_handle(c, 0, sum_up, taken);
  if (code == 0) code = leadline_collection_commit(c, limit);
  if (code == 0) code = leadline_collection_run(c);
  const long after = peak_kib();
  const int segments = leadline_collection_in_use(c, &buffer);
  if (code != 0) printf("%s\n", leadline_collection_message(c));
  if (rank == 0) {
    printf("taken %zu wrong %zu grown %ld buffer %zu segments %d\n", taken[0] >> 10, taken[1], after - before,
           buffer >> 10, segments);
  }
  leadline_collection_free(&c);
  free(part);
  return code != 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int code = 2;
  if (argc > 3 && is(argv[1], "random")) code = random_collections((unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]));
  for (int n = 2; n < argc && is(argv[1], "wrong"); ++n) code = wrong_plan(argv[n]);
  if (argc > 3 && is(argv[1], "memory")) {
    code = measure_memory((size_t)atoi(argv[2]) << 20, (size_t)atoi(argv[3]) << 20);
  }
  MPI_Finalize();
  return code;
}
