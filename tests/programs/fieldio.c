/* Field I/O: random fields byte by byte, what is wrong, the root's memory, hints.
 *
 *   fieldio random SEED FIELDS WRITTEN READ   ways: parallel, gathered, serial, auto
 *   fieldio wrong WAY KIND...
 *   fieldio memory WAY FIELD_MIB LIMIT_MIB
 *   fieldio hints ROUNDS LIMIT_S [KEEP]
 *   fieldio has */
#include <leadline_fieldio.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST = 4, LONGEST = 9 };

static int rank, ranks;
static uint64_t state;

/* The same numbers on all ranks. */
static int below(int limit) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (uint64_t)limit);
}

static leadline_fieldio_way way_of(const char* name) {
  if (strcmp(name, "parallel") == 0) return LEADLINE_FIELDIO_PARALLEL;
  if (strcmp(name, "gathered") == 0) return LEADLINE_FIELDIO_GATHERED;
  return strcmp(name, "serial") == 0 ? LEADLINE_FIELDIO_SERIAL : LEADLINE_FIELDIO_AUTO;
}

/* --- Random fields ------------------------------------------------------------------------------------------------ */

typedef struct {
  int dimensions, leading;
  int64_t whole[MOST], first[MOST], count[MOST], sizes[MOST], offset[MOST], halo[MOST];
  int64_t index[2];
  int64_t points; /* of the array */
  leadline_fieldio_type in_file, in_memory;
  bool has_land;
  size_t limit;
} Field;

/* Cuts into a grid of pieces; ranks that get none have an empty block. */
static void cut(Field* f) {
  int grid[MOST], pieces = 1, left = rank;
  for (int d = 0; d < f->dimensions; ++d) {
    grid[d] = 1 + below(3);
    if (grid[d] > f->whole[d] || pieces * grid[d] > ranks) grid[d] = 1;
    pieces *= grid[d];
  }
  for (int d = 0; d < f->dimensions; ++d) {
    const int piece = left % grid[d];
    left /= grid[d];
    int64_t at = 0, first = 0, count = 0;
    for (int p = 0; p < grid[d]; ++p) {
      const int64_t rest = f->whole[d] - at - (grid[d] - 1 - p);
      const int64_t length = p == grid[d] - 1 ? rest : 1 + below((int)rest);
      if (p == piece) {
        first = at;
        count = length;
      }
      at += length;
    }
    f->first[d] = first;
    f->count[d] = rank < pieces ? count : 0;
  }
}

static Field random_field(void) {
  Field f = {.dimensions = 1 + below(MOST), .leading = below(3), .points = 1};
  for (int d = 0; d < f.dimensions; ++d) f.whole[d] = 1 + below(LONGEST);
  cut(&f);
  for (int d = 0; d < f.dimensions; ++d) {
    f.halo[d] = below(3);
    f.offset[d] = f.halo[d] + below(2);
    f.sizes[d] = f.offset[d] + f.count[d] + f.halo[d] + below(2);
    f.points *= f.sizes[d];
  }
  for (int l = 0; l < f.leading; ++l) f.index[l] = below(3);
  static const leadline_fieldio_type types[] = {LEADLINE_FIELDIO_DOUBLE, LEADLINE_FIELDIO_FLOAT, LEADLINE_FIELDIO_INT32,
                                                LEADLINE_FIELDIO_INT64};
  f.in_memory = types[below(4)];
  f.in_file = types[below(4)];
  f.has_land = below(2) == 1;
  f.limit = (size_t)(ranks * 64) << below(12);
  return f;
}

static double value_at(const int64_t* at, int dimensions) {
  double value = 1.0;
  for (int d = 0; d < dimensions; ++d) value = value * 11.0 + (double)at[d];
  return value;
}

static bool is_land(const Field* f, const int64_t* at) {
  return f->has_land && (int)value_at(at, f->dimensions) % 3 == 0;
}

static void set(void* values, leadline_fieldio_type type, int64_t at, double value) {
  if (type == LEADLINE_FIELDIO_DOUBLE) ((double*)values)[at] = value;
  if (type == LEADLINE_FIELDIO_FLOAT) ((float*)values)[at] = (float)value;
  if (type == LEADLINE_FIELDIO_INT32) ((int32_t*)values)[at] = (int32_t)value;
  if (type == LEADLINE_FIELDIO_INT64) ((int64_t*)values)[at] = (int64_t)value;
}

static double get(const void* values, leadline_fieldio_type type, int64_t at) {
  if (type == LEADLINE_FIELDIO_DOUBLE) return ((const double*)values)[at];
  if (type == LEADLINE_FIELDIO_FLOAT) return ((const float*)values)[at];
  if (type == LEADLINE_FIELDIO_INT32) return ((const int32_t*)values)[at];
  return (double)((const int64_t*)values)[at];
}

/* Where in the field the array's point is; whether it is in the block, or in it or its halo. */
typedef struct {
  int64_t at[MOST];
  bool in_block, in_wide;
} FieldPoint;

static FieldPoint field_point(const Field* f, int64_t point) {
  FieldPoint in_field = {{0}, true, true};
  for (int d = f->dimensions - 1; d >= 0; --d) {
    const int64_t in_block = point % f->sizes[d] - f->offset[d];
    point /= f->sizes[d];
    in_field.at[d] = f->first[d] + in_block;
    const bool inside = in_block >= 0 && in_block < f->count[d];
    const bool near = in_block >= -f->halo[d] && in_block < f->count[d] + f->halo[d] && f->count[d] > 0;
    in_field.in_block = in_field.in_block && inside;
    in_field.in_wide = in_field.in_wide && near && in_field.at[d] >= 0 && in_field.at[d] < f->whole[d];
  }
  for (int d = 0; d < f->dimensions; ++d) in_field.in_wide = in_field.in_wide && f->count[d] > 0;
  return in_field;
}

static const double land_in_file = 7.0, untouched = -5.0;

static int define(leadline_field_file* file, const Field* f, int64_t* sizes) {
  int dimension[MOST + 2];
  for (int d = 0; d < f->leading + f->dimensions; ++d) {
    char name[16];
    snprintf(name, sizeof name, "d%d", d);
    sizes[d] = d < f->leading ? 3 : f->whole[d - f->leading];
    dimension[d] = leadline_fieldio_dimension(file, name, sizes[d]);
  }
  return leadline_fieldio_define(file, "field", f->in_file, f->leading + f->dimensions, dimension);
}

static int fail(const char* what, const char* message) {
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, message);
  return 1;
}

static int write_field(const Field* f, const char* path, leadline_fieldio_way way, leadline_spread* spread,
                       void* values) {
  const leadline_fieldio_options options = {.way = way, .limit_bytes = f->limit};
  leadline_field_file* file = NULL;
  int64_t sizes[MOST + 2];
  if (leadline_fieldio_create(MPI_COMM_WORLD, path, &options, &file))
    return fail("create", leadline_fieldio_message(file));
  const int variable = define(file, f, sizes);
  leadline_fieldio_end_definitions(file);
  leadline_fieldio_write(file, variable, f->leading, f->index, spread, f->in_memory, values);
  if (leadline_fieldio_close(file)) return fail("write", leadline_fieldio_message(file));
  if (leadline_fieldio_way_of(file) != LEADLINE_FIELDIO_PARALLEL && rank == 0 &&
      leadline_fieldio_buffer_bytes(file) > f->limit) {
    return fail("write", "the buffers took more than the limit");
  }
  leadline_fieldio_free(&file);
  return 0;
}

static int read_field(const Field* f, const char* path, leadline_fieldio_way way, leadline_spread* spread,
                      void* values) {
  const leadline_fieldio_options options = {.way = way, .limit_bytes = f->limit};
  leadline_field_file* file = NULL;
  int64_t sizes[MOST + 2];
  int variable = 0;
  for (int d = 0; d < f->leading + f->dimensions; ++d) sizes[d] = d < f->leading ? 3 : f->whole[d - f->leading];
  leadline_fieldio_open(MPI_COMM_WORLD, path, &options, &file);
  leadline_fieldio_variable(file, "field", f->leading + f->dimensions, sizes, &variable);
  leadline_fieldio_read(file, variable, f->leading, f->index, spread, f->in_memory, values);
  if (leadline_fieldio_close(file)) return fail("read", leadline_fieldio_message(file));
  leadline_fieldio_free(&file);
  return 0;
}

static leadline_spread* spread_of(const Field* f) {
  const leadline_block block = {f->dimensions, f->whole, f->first, f->count, f->sizes, f->offset, f->halo};
  leadline_spread* spread = NULL;
  if (leadline_spread_create(MPI_COMM_WORLD, &block, &spread)) {
    fail("spread", leadline_spread_message(spread));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return spread;
}

/* Writes the field, reads it, and compares; the number of wrong values. */
static int try_field(const Field* f, const char* path, leadline_fieldio_way written, leadline_fieldio_way read) {
  const size_t element = f->in_memory == LEADLINE_FIELDIO_DOUBLE || f->in_memory == LEADLINE_FIELDIO_INT64 ? 8 : 4;
  char* values = malloc((size_t)f->points * element + 1);
  unsigned char* mask = malloc((size_t)f->points + 1);
  leadline_spread* spread = spread_of(f);
  int wrong = 0;
  for (int64_t point = 0; point < f->points; ++point) {
    const FieldPoint in_field = field_point(f, point);
    const bool land = in_field.in_wide && is_land(f, in_field.at);
    mask[point] = !land;
    set(values, f->in_memory, point, in_field.in_block ? value_at(in_field.at, f->dimensions) : untouched);
  }
  leadline_spread_mask(spread, f->has_land ? mask : NULL, land_in_file);
  wrong += write_field(f, path, written, spread, values);
  /* Every other time without the mask, so that what is on land in the file is seen. */
  const bool masked = f->leading == 1;
  leadline_spread_mask(spread, masked && f->has_land ? mask : NULL, 0.0);
  for (int64_t point = 0; point < f->points; ++point) set(values, f->in_memory, point, untouched);
  wrong += read_field(f, path, read, spread, values);
  for (int64_t point = 0; point < f->points; ++point) {
    const FieldPoint in_field = field_point(f, point);
    const bool land = in_field.in_wide && is_land(f, in_field.at);
    double expected = in_field.in_wide ? value_at(in_field.at, f->dimensions) : untouched;
    if (land) expected = masked ? untouched : land_in_file;
    if (get(values, f->in_memory, point) == expected) continue;
    if (wrong++ == 0) {
      fprintf(stderr, "rank %d: point %lld is %g instead of %g\n", rank, (long long)point,
              get(values, f->in_memory, point), expected);
    }
  }
  leadline_spread_free(&spread);
  free(values);
  free(mask);
  return wrong;
}

static int run_random(char** words) {
  state = strtoull(words[0], NULL, 10);
  const int fields = atoi(words[1]);
  int wrong = 0, all = 0;
  for (int n = 0; n < fields; ++n) {
    const Field f = random_field();
    wrong += try_field(&f, "random.nc", way_of(words[2]), way_of(words[3]));
  }
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d fields on %d ranks, %d wrong\n", fields, ranks, all);
  return 0;
}

/* --- What is wrong ------------------------------------------------------------------------------------------------ */

typedef struct {
  leadline_field_file* file;
  leadline_spread* spread;
  int variable;
} Open;

/* Strips of 3 rows of 4 for each rank; the last rank differs from what is right by `kind`. */
static int make_spread(const char* kind, leadline_spread** spread) {
  const bool differs = rank == ranks - 1;
  int64_t whole[2] = {3 * ranks, 4}, first[2] = {3 * rank, 0}, count[2] = {3, 4};
  int64_t sizes[2] = {5, 4}, offset[2] = {1, 0}, halo[2] = {1, 0};
  leadline_block block = {2, whole, first, count, sizes, offset, halo};
  if (differs && strcmp(kind, "outside") == 0) first[0] += 1;
  if (differs && strcmp(kind, "whole") == 0) whole[1] = 5;
  if (differs && strcmp(kind, "halo") == 0) halo[0] = 2;
  if (differs && strcmp(kind, "overlap") == 0) first[0] -= 1;
  if (differs && strcmp(kind, "missing") == 0) count[0] = 2;
  if (differs && strcmp(kind, "dimensions") == 0) block.dimensions = 7;
  return leadline_spread_create(MPI_COMM_WORLD, &block, spread);
}

static void say(const char* kind, int code, const char* message) {
  printf("rank %d: %s: code %d: %s\n", rank, kind, code, message);
  fflush(stdout);
}

static void run_wrong(const char* kind, leadline_fieldio_way way) {
  double values[20] = {0};
  leadline_spread* spread = NULL;
  int code = make_spread(kind, &spread), variable = 0;
  if (code != LEADLINE_FIELDIO_OK) {
    say(kind, code, leadline_spread_message(spread));
    leadline_spread_free(&spread);
    return;
  }
  leadline_fieldio_options options = {.way = way};
  if (strcmp(kind, "hints") == 0) options.hints = "cb_nodes:2";
  if (strcmp(kind, "ways") == 0 && rank == ranks - 1) {
    options.way = way == LEADLINE_FIELDIO_SERIAL ? LEADLINE_FIELDIO_GATHERED : LEADLINE_FIELDIO_SERIAL;
  }
  if (strcmp(kind, "limit") == 0) options.limit_bytes = 8;
  leadline_field_file* file = NULL;
  const bool to_read = strcmp(kind, "no file") == 0 || strcmp(kind, "no netcdf") == 0;
  const char* path = "wrong.nc";
  if (strcmp(kind, "no file") == 0) path = "none.nc";
  if (strcmp(kind, "no netcdf") == 0) path = "text.nc";
  if (strcmp(kind, "read only") == 0) path = "/sys/wrong.nc";
  if (to_read) {
    leadline_fieldio_open(MPI_COMM_WORLD, path, &options, &file);
  } else {
    leadline_fieldio_create(MPI_COMM_WORLD, path, &options, &file);
    const int dimension[2] = {leadline_fieldio_dimension(file, "a", 3 * ranks),
                              leadline_fieldio_dimension(file, "b", 4)};
    variable = leadline_fieldio_define(file, "field", LEADLINE_FIELDIO_DOUBLE, 2, dimension);
    if (strcmp(kind, "twice") == 0) leadline_fieldio_define(file, "field", LEADLINE_FIELDIO_DOUBLE, 2, dimension);
    leadline_fieldio_end_definitions(file);
  }
  const int64_t sizes[2] = {3 * ranks, strcmp(kind, "shape") == 0 ? 5 : 4};
  if (strcmp(kind, "name") == 0) leadline_fieldio_variable(file, "salt", 2, sizes, &variable);
  if (strcmp(kind, "shape") == 0) leadline_fieldio_variable(file, "field", 2, sizes, &variable);
  if (strcmp(kind, "put") == 0) {
    const int64_t first[2] = {0, 4}, count[2] = {1, 1};
    leadline_fieldio_put(file, variable, 2, first, count, LEADLINE_FIELDIO_DOUBLE, values);
  }
  code = to_read ? leadline_fieldio_read(file, variable, 0, NULL, spread, LEADLINE_FIELDIO_DOUBLE, values)
                 : leadline_fieldio_write(file, variable, 0, NULL, spread, LEADLINE_FIELDIO_DOUBLE, values);
  say(kind, code, leadline_fieldio_message(file));
  leadline_fieldio_free(&file);
  leadline_spread_free(&spread);
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

static long most_kib(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/* Of the field all ranks but the root have equal parts, so what grows on the root are the buffers. */
static int run_memory(char** words) {
  const leadline_fieldio_options options = {.way = way_of(words[0]), .limit_bytes = (size_t)atol(words[2]) << 20};
  const int64_t rows = 1024, length = (int64_t)atol(words[1]) * 1024 / 8 / (ranks - 1) * (ranks - 1);
  const int64_t whole[2] = {rows, length}, share = length / (ranks - 1);
  const int64_t first[2] = {0, rank > 0 ? (rank - 1) * share : 0}, count[2] = {rows, rank > 0 ? share : 0};
  const leadline_block block = {2, whole, first, count, NULL, NULL, NULL};
  leadline_spread* spread = NULL;
  leadline_field_file* file = NULL;
  double* values = malloc((size_t)(count[0] * count[1] + 1) * sizeof *values);
  for (int64_t n = 0; n < count[0] * count[1]; ++n) {
    values[n] = (double)((first[0] + n / count[1]) * length + first[1] + n % count[1]);
  }
  leadline_spread_create(MPI_COMM_WORLD, &block, &spread);
  leadline_fieldio_create(MPI_COMM_WORLD, "memory.nc", &options, &file);
  const int dimension[2] = {leadline_fieldio_dimension(file, "a", rows), leadline_fieldio_dimension(file, "b", length)};
  const int variable = leadline_fieldio_define(file, "field", LEADLINE_FIELDIO_DOUBLE, 2, dimension);
  leadline_fieldio_end_definitions(file);
  const long before = most_kib();
  leadline_fieldio_write(file, variable, 0, NULL, spread, LEADLINE_FIELDIO_DOUBLE, values);
  size_t buffer = leadline_fieldio_buffer_bytes(file);
  int code = leadline_fieldio_close(file), wrong = 0, all = 0;
  leadline_fieldio_free(&file);
  memset(values, 0, (size_t)(count[0] * count[1]) * sizeof *values);
  code |= leadline_fieldio_open(MPI_COMM_WORLD, "memory.nc", &options, &file);
  code |= leadline_fieldio_read(file, variable, 0, NULL, spread, LEADLINE_FIELDIO_DOUBLE, values);
  if (leadline_fieldio_buffer_bytes(file) > buffer) buffer = leadline_fieldio_buffer_bytes(file);
  const long after = most_kib();
  for (int64_t n = 0; n < count[0] * count[1]; ++n) {
    wrong += values[n] != (double)((first[0] + n / count[1]) * length + first[1] + n % count[1]);
  }
  wrong += code;
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("wrong %d field %lld buffer %zu grown %ld\n", all, (long long)(rows * length * 8 / 1024), buffer / 1024,
           after - before);
    unlink("memory.nc");
  }
  leadline_fieldio_free(&file);
  leadline_spread_free(&spread);
  free(values);
  return 0;
}

/* --- Hints -------------------------------------------------------------------------------------------------------- */

static int run_hints(char** words) {
  const int64_t whole[2] = {64, 64 * ranks}, first[2] = {0, 64 * rank}, count[2] = {64, 64};
  const leadline_block block = {2, whole, first, count, NULL, NULL, NULL};
  leadline_spread* spread = NULL;
  const leadline_fieldio_trial trial = {atoi(words[0]), atof(words[1]), words[2]};
  leadline_fieldio_choice choice;
  char message[1024];
  leadline_spread_create(MPI_COMM_WORLD, &block, &spread);
  const int code =
      leadline_fieldio_choose_hints(MPI_COMM_WORLD, "hints.nc", spread, &trial, &choice, message, sizeof message);
  printf("rank %d: code %d: %s\n", rank, code, code == LEADLINE_FIELDIO_OK ? choice.hints : message);
  if (rank == 0)
    printf("rounds %d kept %d written %lld\n", choice.rounds, choice.kept, (long long)choice.written_bytes);
  for (int set = 0; set < LEADLINE_FIELDIO_HINT_SETS && rank == 0; ++set) {
    const bool in_order = choice.least_s[set] <= choice.median_s[set] && choice.median_s[set] <= choice.most_s[set];
    printf("set %s: %s\n", leadline_fieldio_hint_set(set),
           choice.least_s[set] > 0 && in_order ? "took time" : "took none");
  }
  leadline_spread_free(&spread);
  return 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc == 6 && strcmp(argv[1], "random") == 0) run_random(argv + 2);
  if (argc > 3 && strcmp(argv[1], "wrong") == 0) {
    for (int n = 3; n < argc; ++n) run_wrong(argv[n], way_of(argv[2]));
  }
  if (argc == 5 && strcmp(argv[1], "memory") == 0) run_memory(argv + 2);
  if (argc > 3 && strcmp(argv[1], "hints") == 0) run_hints(argv + 2);
  if (argc == 2 && strcmp(argv[1], "has") == 0) {
    char why[1024];
    const int has = leadline_fieldio_has_parallel(MPI_COMM_WORLD, why, sizeof why);
    printf("rank %d: %s%s\n", rank, has ? "parallel" : "gathered: ", why);
  }
  MPI_Finalize();
  return 0;
}
