/* Packed exchanges against plain ones, and wrong plans.
 *
 *   segments random FIRST COUNT     COUNT random plans from seed FIRST on; every byte must be as after a plain exchange
 *   segments wrong CASE             a wrong plan; prints "rank R: code C: MESSAGE"
 *   segments auto FILE              finds a form, saves it and loads it again
 */
#include <leadline_segments.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
static int threads(void) { return omp_get_max_threads(); }
#else
static int threads(void) { return 1; }
#endif

enum { MOST_FIELDS = 9, ROUNDS = 3 };
enum { LOWER, UPPER };

static int rank, ranks;

/* --- Random plans: a line or a ring of ranks, whose neighbours share planes of 3-D arrays ------------------------- */

static unsigned state;

static int below(int n) {
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 8) % (unsigned)n);
}

typedef struct {
  int dims[3];
  size_t element;
  int thick;
  int across; /* the dimension that is cut */
  int typed;
  int one_way; /* only upwards */
  unsigned char* mine;
  unsigned char* plain;
  size_t bytes;
} Array;

static Array random_array(void) {
  static const size_t elements[] = {1, 4, 8, 8, 8, 16, 24, 40};
  Array array = {.element = elements[below(8)], .thick = 1 + below(2), .across = below(3)};
  array.typed = below(2);
  array.one_way = below(5) == 0;
  for (int d = 0; d < 3; ++d) array.dims[d] = 6 + below(d == 2 ? 12 : 5);
  array.bytes = array.element * (size_t)array.dims[0] * array.dims[1] * array.dims[2];
  array.mine = malloc(array.bytes);
  array.plain = malloc(array.bytes);
  return array;
}

static int plane(const Array* array, int side, int received) {
  const int n = array->dims[array->across];
  if (side == LOWER) return received ? 0 : array->thick;
  return received ? n - array->thick : n - 2 * array->thick;
}

static MPI_Datatype type_of(const Array* array, int side, int received) {
  int sizes[4], parts[4], starts[4] = {0, 0, 0, 0};
  for (int d = 0; d < 3; ++d) sizes[d] = parts[d] = array->dims[d];
  sizes[3] = parts[3] = (int)array->element;
  parts[array->across] = array->thick;
  starts[array->across] = plane(array, side, received);
  MPI_Datatype type;
  MPI_Type_create_subarray(4, sizes, parts, starts, MPI_ORDER_C, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  return type;
}

static void add_face(leadline_segments* plan, const Array* array, int field, int neighbour, int side) {
  const int sends = !array->one_way || side == UPPER, receives = !array->one_way || side == LOWER;
  if (array->typed) {
    MPI_Datatype send = type_of(array, side, 0), receive = type_of(array, side, 1);
    leadline_segments_face_typed(plan, field, neighbour, array->mine, sends, send, array->mine, receives, receive);
    MPI_Type_free(&send);
    MPI_Type_free(&receive);
    return;
  }
  leadline_face send = leadline_face_of_array(array->mine, array->element, 3, array->dims, array->across,
                                              plane(array, side, 0), array->thick);
  leadline_face receive = leadline_face_of_array(array->mine, array->element, 3, array->dims, array->across,
                                                 plane(array, side, 1), array->thick);
  leadline_segments_face(plan, field, neighbour, sends ? &send : NULL, receives ? &receive : NULL);
}

static void exchange_plainly(const Array* array, const int* neighbours) {
  MPI_Request requests[4];
  MPI_Datatype types[4];
  int n = 0;
  for (int side = LOWER; side <= UPPER; ++side) {
    for (int received = 1; received >= 0; --received) {
      if (array->one_way && received == (side == UPPER)) continue;
      types[n] = type_of(array, side, received);
      if (received) {
        MPI_Irecv(array->plain, 1, types[n], neighbours[side], 1 - side, MPI_COMM_WORLD, &requests[n]);
      } else {
        MPI_Isend(array->plain, 1, types[n], neighbours[side], side, MPI_COMM_WORLD, &requests[n]);
      }
      ++n;
    }
  }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  for (int k = 0; k < n; ++k) MPI_Type_free(&types[k]);
}

static void carry_out(leadline_segments* plan, int fields) {
  if (below(3) == 0) {
    leadline_segments_exchange(plan);
    return;
  }
  const int first = below(fields), some = below(2) ? fields : below(fields);
  leadline_segments_start(plan);
  for (int n = 0; n < some; ++n) leadline_segments_ready(plan, (first + n) % fields);
  if (some == fields) leadline_segments_wait_field(plan, below(fields));
  leadline_segments_wait(plan);
}

static int wrong_bytes(const Array* arrays, int fields) {
  int wrong = 0;
  for (int field = 0; field < fields; ++field) {
    wrong += memcmp(arrays[field].mine, arrays[field].plain, arrays[field].bytes) != 0;
  }
  return wrong;
}

static int random_plan(unsigned seed) {
  state = seed * 7919u + 1u;
  const int fields = 1 + below(MOST_FIELDS), ring = below(2), automatic = below(4) == 0;
  int neighbours[2] = {rank - 1, rank + 1};
  if (ring) neighbours[LOWER] = (rank + ranks - 1) % ranks, neighbours[UPPER] = (rank + 1) % ranks;
  if (neighbours[LOWER] < 0) neighbours[LOWER] = MPI_PROC_NULL;
  if (neighbours[UPPER] >= ranks) neighbours[UPPER] = MPI_PROC_NULL;
  Array arrays[MOST_FIELDS];
  leadline_segments* plan = leadline_segments_create(MPI_COMM_WORLD);
  for (int side = LOWER; side <= UPPER; ++side) leadline_segments_neighbour(plan, neighbours[side], side, 1 - side);
  for (int field = 0; field < fields; ++field) {
    char name[16];
    snprintf(name, sizeof name, "field%d", field);
    arrays[field] = random_array();
    leadline_segments_field(plan, name);
    for (int side = LOWER; side <= UPPER; ++side) add_face(plan, &arrays[field], field, side, side);
  }
  leadline_segments_use(plan, (leadline_segments_method)below(3), below(3) - 1);
  int sizes[MOST_FIELDS], segments = 0;
  for (int left = fields; left > 0; left -= sizes[segments++]) sizes[segments] = 1 + below(left);
  int code = automatic ? leadline_segments_commit(plan, LEADLINE_SEGMENTS_AUTO, NULL)
                       : leadline_segments_commit(plan, segments, below(2) ? sizes : NULL);
  if (code != 0) printf("seed %u rank %d: %s\n", seed, rank, leadline_segments_message(plan));
  const int rounds = automatic ? 90 : ROUNDS;
  for (int round = 0; round < rounds && code == 0; ++round) {
    for (int field = 0; field < fields; ++field) {
      for (size_t n = 0; n < arrays[field].bytes; ++n) {
        arrays[field].mine[n] = arrays[field].plain[n] = (unsigned char)(n * 31 + field * 7 + rank * 101 + round * 13);
      }
      exchange_plainly(&arrays[field], neighbours);
    }
    carry_out(plan, fields);
    code = wrong_bytes(arrays, fields);
    if (code != 0) printf("seed %u rank %d round %d: %d fields differ\n", seed, rank, round, code);
  }
  leadline_segments_free(&plan);
  for (int field = 0; field < fields; ++field) free(arrays[field].mine), free(arrays[field].plain);
  return code != 0;
}

static int random_plans(unsigned first, unsigned count) {
  int wrong = 0, all;
  for (unsigned seed = first; seed < first + count; ++seed) wrong += random_plan(seed);
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%u plans on %d ranks, %d wrong, %d threads\n", count, ranks, all, threads());
  return all != 0;
}

/* --- Wrong plans, on a ring -----------------------------------------------------------------------------------------
 */

enum { POINTS = 1 << 16 };

static leadline_face part(double* array, int first, int count) {
  return (leadline_face){array + first, sizeof(double), 1, {count}, {sizeof(double)}};
}

static int is(const char* one, const char* other) { return strcmp(one, other) == 0; }

static int wrong_plan(const char* kind) {
  const size_t bytes = POINTS * sizeof(double);
  const int odd = rank == ranks - 1; /* the rank that is wrong */
  double* arrays[2];
  for (int n = 0; n < 2; ++n) arrays[n] = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  leadline_segments* plan = leadline_segments_create(MPI_COMM_WORLD);
  const int upper = is(kind, "neighbour") && odd ? rank : (rank + 1) % ranks;
  leadline_segments_neighbour(plan, (rank + ranks - 1) % ranks, 0, 1);
  leadline_segments_neighbour(plan, is(kind, "rank") && odd ? ranks + 3 : upper, 1, 0);
  const char* names[2] = {"salt", is(kind, "name") && odd ? "heat" : "temperature"};
  const int fields = is(kind, "fields") && odd ? 1 : 2;
  for (int field = 0; field < fields; ++field) {
    leadline_segments_field(plan, names[field]);
    for (int side = 0; side < 2; ++side) {
      const int longer = is(kind, "size") && odd && field == 1 && side == 0;
      leadline_face send = part(arrays[field], 100 + 200 * side, 50 + longer);
      leadline_face receive = part(arrays[field], 1000 + 200 * side, 50);
      if (is(kind, "overlap") && odd && field == 1 && side == 1) receive = part(arrays[0], 1249, 50);
      if (is(kind, "sent") && odd && field == 1 && side == 1) receive = part(arrays[1], 149, 50);
      if (is(kind, "null") && odd && field == 1) send.first = NULL;
      if (is(kind, "gap") && odd && field == 1) send.first = (void*)64;
      leadline_segments_face(plan, field, side, &send, &receive);
    }
  }
  const int sizes[2] = {1, 2};
  int code = 0;
  if (is(kind, "missing") && odd) {
    MPI_Status status; /* busy with something else */
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 77, MPI_COMM_WORLD, &status);
    return 0;
  }
  if (is(kind, "sum")) {
    code = leadline_segments_commit(plan, 2, sizes);
  } else if (is(kind, "many")) {
    code = leadline_segments_commit(plan, 3, NULL);
  } else {
    code = leadline_segments_commit(plan, is(kind, "segments") && odd ? 1 : 2, NULL);
  }
  if (code == 0 && is(kind, "freed")) {
    if (odd) munmap(arrays[1], bytes);
    code = leadline_segments_exchange(plan);
  }
  if (code == 0 && is(kind, "twice")) {
    leadline_segments_start(plan);
    code = leadline_segments_start(plan);
  }
  if (code == 0 && is(kind, "early")) {
    leadline_segments_start(plan);
    code = leadline_segments_wait_field(plan, 1);
  }
  printf("rank %d: code %d: %s\n", rank, code, leadline_segments_message(plan));
  fflush(stdout);
  if (is(kind, "missing")) { /* the first to end ends the others: only when all have said it */
    for (int other = 1; other < ranks - 1 && rank == 0; ++other) {
      MPI_Recv(NULL, 0, MPI_BYTE, other, 78, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 0) _Exit(3);
    MPI_Ssend(NULL, 0, MPI_BYTE, 0, 78, MPI_COMM_WORLD); /* nothing is sent on in pause() */
    for (;;) pause();
  }
  leadline_segments_free(&plan);
  return 0;
}

/* --- auto ------------------------------------------------------------------------------------------------------------
 */

static leadline_segments* tuned_plan(double* array, const char* load) {
  leadline_segments* plan = leadline_segments_create(MPI_COMM_WORLD);
  leadline_segments_neighbour(plan, (rank + ranks - 1) % ranks, 0, 1);
  leadline_segments_neighbour(plan, (rank + 1) % ranks, 1, 0);
  for (int field = 0; field < 7; ++field) {
    leadline_segments_field(plan, "field");
    for (int side = 0; side < 2; ++side) {
      leadline_face send = part(array, 1000 * field + 200 * side, 100),
                    receive = part(array, 1000 * field + 500 + 200 * side, 100);
      leadline_segments_face(plan, field, side, &send, &receive);
    }
  }
  if (load != NULL) leadline_segments_load(plan, load);
  if (leadline_segments_commit(plan, LEADLINE_SEGMENTS_AUTO, NULL) != 0)
    printf("%s\n", leadline_segments_message(plan));
  return plan;
}

static void print_choice(const leadline_segments* plan, const char* what) {
  int sizes[7], persistent, trials;
  leadline_segments_method method;
  const int segments = leadline_segments_in_use(plan, sizes, &method, &persistent);
  leadline_segments_tuned(plan, &trials, NULL);
  char text[64] = "";
  for (int s = 0, used = 0; s < segments; ++s) used += sprintf(text + used, " %d", sizes[s]);
  printf("%s %d %d:%s (%s)\n", what, (int)method, persistent, text, trials > 0 ? "tried" : "not tried");
}

static int find_form(const char* path) {
  double* array = calloc(7000, sizeof *array);
  leadline_segments* plan = tuned_plan(array, NULL);
  int steps = 0;
  while (!leadline_segments_tuned(plan, NULL, NULL) && steps < 1000) leadline_segments_exchange(plan), ++steps;
  print_choice(plan, "found");
  int code = leadline_segments_save(plan, path);
  leadline_segments_free(&plan);
  plan = tuned_plan(array, path);
  if (!leadline_segments_tuned(plan, NULL, NULL)) code = 1;
  print_choice(plan, "loaded");
  leadline_segments_exchange(plan);
  leadline_segments_free(&plan);
  free(array);
  return code;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int code = 2;
  if (argc > 3 && is(argv[1], "random")) code = random_plans((unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]));
  if (argc > 2 && is(argv[1], "wrong")) code = wrong_plan(argv[2]);
  if (argc > 2 && is(argv[1], "auto")) code = find_form(argv[2]);
  MPI_Finalize();
  return code;
}
