/* Hints to MPI-IO and PnetCDF: as text, and tried out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "field_file.h"
#include "spread.h"

/* The first is what is used where nothing is chosen: PnetCDF would read the header in pieces of 256 KiB. The others are
 * that and: one aggregator, two, a larger buffer, two-phase I/O always and never, stripes. A library takes of them what
 * it knows. */
#define SMALL_HEADER "nc_header_read_chunk_size=16384"
static const char* const sets[] = {
    SMALL_HEADER,
    SMALL_HEADER ";cb_nodes=1",
    SMALL_HEADER ";cb_nodes=2",
    SMALL_HEADER ";cb_buffer_size=33554432",
    SMALL_HEADER ";romio_cb_read=enable;romio_cb_write=enable;collective_buffering=true",
    SMALL_HEADER ";romio_cb_read=disable;romio_cb_write=disable;collective_buffering=false",
    SMALL_HEADER ";striping_factor=4;striping_unit=1048576",
};
enum { SETS = sizeof sets / sizeof *sets, MOST_ROUNDS = 32 };
enum { MOST_BYTES = 64 << 20 };

int leadline_fieldio_hint_sets(void) { return SETS; }

const char* leadline_fieldio_hint_set(int number) { return sets[number]; }

MPI_Info info_of(const char* hints, Report* report) {
  const char* at = hints != NULL ? hints : sets[0];
  MPI_Info info = MPI_INFO_NULL;
  if (*at == '\0') return info;
  MPI_Info_create(&info);
  while (*at != '\0') {
    const size_t length = strcspn(at, ";"), name_length = strcspn(at, "=;");
    char name[MPI_MAX_INFO_KEY], value[256];
    if (name_length == 0 || name_length + 1 >= length || name_length >= sizeof name ||
        length - name_length > sizeof value) {
      note(report, "hints must look like name=value;name=value, not '%.200s'", hints);
      break;
    }
    snprintf(name, sizeof name, "%.*s", (int)name_length, at);
    snprintf(value, sizeof value, "%.*s", (int)(length - name_length - 1), at + name_length + 1);
    MPI_Info_set(info, name, value);
    at += length + (at[length] == ';');
  }
  return info;
}

/* --- Trying ------------------------------------------------------------------------------------------------------- */

static int define_field(leadline_field_file* file, const leadline_spread* spread) {
  int dimension[DIMENSIONS];
  for (int d = 0; d < spread->dimensions; ++d) {
    char name[16];
    snprintf(name, sizeof name, "d%d", d);
    dimension[d] = leadline_fieldio_dimension(file, name, spread->whole.count[d]);
  }
  const int variable = leadline_fieldio_define(file, "field", LEADLINE_FIELDIO_DOUBLE, spread->dimensions, dimension);
  leadline_fieldio_end_definitions(file);
  return variable;
}

/* The file is written and read once; false where anything failed. */
static bool go(MPI_Comm comm, const char* path, const char* hints, const leadline_spread* spread, double* values,
               char* message, size_t bytes) {
  const leadline_fieldio_options options = {.way = LEADLINE_FIELDIO_PARALLEL, .hints = hints};
  leadline_field_file* file = NULL;
  bool done = leadline_fieldio_create(comm, path, &options, &file) == LEADLINE_FIELDIO_OK;
  const int variable = done ? define_field(file, spread) : 0;
  done =
      done &&
      leadline_fieldio_write(file, variable, 0, NULL, spread, LEADLINE_FIELDIO_DOUBLE, values) == LEADLINE_FIELDIO_OK &&
      leadline_fieldio_close(file) == LEADLINE_FIELDIO_OK;
  if (!done) snprintf(message, bytes, "%s", leadline_fieldio_message(file));
  leadline_fieldio_free(&file);
  if (!done) return false;
  done = leadline_fieldio_open(comm, path, &options, &file) == LEADLINE_FIELDIO_OK &&
         leadline_fieldio_read(file, variable, 0, NULL, spread, LEADLINE_FIELDIO_DOUBLE, values) == LEADLINE_FIELDIO_OK;
  if (!done) snprintf(message, bytes, "%s", leadline_fieldio_message(file));
  leadline_fieldio_free(&file);
  return done;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median_of(const double* times, int rounds) {
  double sorted[MOST_ROUNDS];
  memcpy(sorted, times, (size_t)rounds * sizeof *times);
  qsort(sorted, (size_t)rounds, sizeof *sorted, by_size);
  return sorted[rounds / 2];
}

static int fastest(double times[SETS][MOST_ROUNDS], int rounds) {
  int best = 0;
  for (int set = 1; set < SETS; ++set) {
    bool wins = true;
    for (int round = 0; round < rounds; ++round) wins = wins && times[set][round] < times[0][round];
    if (wins && median_of(times[set], rounds) < median_of(times[best], rounds)) best = set;
  }
  return best;
}

int leadline_fieldio_try_hints(MPI_Comm comm, const char* path, const leadline_spread* spread, int rounds, char* chosen,
                               size_t chosen_bytes, double* seconds) {
  static double times[SETS][MOST_ROUNDS]; /* the same on all ranks */
  Report report = {false, false, ""};
  const size_t length = strlen(path) + sizeof ".hints";
  char* scratch = malloc(length);
  double* values = calloc((size_t)(spread->array_points > 0 ? spread->array_points : 1), sizeof *values);
  if (scratch == NULL || values == NULL) note(&report, "rank %d: no memory", spread->rank);
  if (points_of(&spread->whole, spread->dimensions) > MOST_BYTES / (int)sizeof(double)) {
    note(&report, "hints are tried with a field of at most %d MiB", MOST_BYTES >> 20);
  }
  if (rounds < 1 || rounds > MOST_ROUNDS) note(&report, "hints are tried in 1 to %d rounds", MOST_ROUNDS);
  if (scratch != NULL) snprintf(scratch, length, "%s.hints", path);
  bool done = agree_on(&report, comm);
  for (int turn = 0; turn < rounds * SETS && done; ++turn) {
    const int round = turn / SETS, set = (turn + round) % SETS;
    MPI_Barrier(comm);
    const double begin = MPI_Wtime();
    done = go(comm, scratch, sets[set], spread, values, report.message, sizeof report.message);
    const double took = MPI_Wtime() - begin;
    MPI_Allreduce(&took, &times[set][round], 1, MPI_DOUBLE, MPI_MAX, comm);
  }
  if (spread->rank == 0 && scratch != NULL) unlink(scratch);
  free(scratch);
  free(values);
  snprintf(chosen, chosen_bytes, "%s", done ? sets[fastest(times, rounds)] : report.message);
  for (int set = 0; set < SETS && done && seconds != NULL; ++set) seconds[set] = median_of(times[set], rounds);
  return done ? LEADLINE_FIELDIO_OK : LEADLINE_FIELDIO_FAILED;
}
