/* Finds the fastest hints for a field by trial. The times of the slowest rank decide, so all ranks choose alike. */
#include "trial.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "field_file.h"

enum { SETS = LEADLINE_FIELDIO_HINT_SETS, MOST_ROUNDS = 32, USUAL_ROUNDS = 7, FEWEST_ROUNDS = 3 };
enum { MOST_BYTES = 64 << 20 };
static const double usual_limit_s = 10.0;
static const double clear = 0.98; /* of the first set's time in the same round */

typedef struct {
  MPI_Comm comm;
  const leadline_spread* spread;
  char* path;
  double* values;
  Report report;
  double times[SETS][MOST_ROUNDS];
  int completed;
} Trial;

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

static bool failed(Trial* trial, leadline_field_file** file) {
  note(&trial->report, "%s", *file != NULL ? leadline_fieldio_message(*file) : "out of memory");
  leadline_fieldio_free(file);
  return false;
}

/* If possible, reading should come from the file system, not from this host's memory. */
static void forget(const char* path) {
  const int descriptor = open(path, O_RDONLY);
  if (descriptor < 0) return;
  fdatasync(descriptor);
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  close(descriptor);
}

/* The file is written and read once, which takes `took_s` on this rank; false, on all ranks, where anything failed. */
static bool go(Trial* trial, const char* hints, double* took_s) {
  const leadline_fieldio_options options = {.way = LEADLINE_FIELDIO_PARALLEL, .hints = hints};
  const leadline_fieldio_type type = LEADLINE_FIELDIO_DOUBLE;
  leadline_field_file* file = NULL;
  const double begin = MPI_Wtime();
  if (leadline_fieldio_create(trial->comm, trial->path, &options, &file) != LEADLINE_FIELDIO_OK) {
    return failed(trial, &file);
  }
  const int variable = define_field(file, trial->spread);
  if (leadline_fieldio_write(file, variable, 0, NULL, trial->spread, type, trial->values) != LEADLINE_FIELDIO_OK ||
      leadline_fieldio_close(file) != LEADLINE_FIELDIO_OK) {
    return failed(trial, &file);
  }
  leadline_fieldio_free(&file);
  *took_s = MPI_Wtime() - begin;
  forget(trial->path);
  MPI_Barrier(trial->comm);
  const double again = MPI_Wtime();
  if (leadline_fieldio_open(trial->comm, trial->path, &options, &file) != LEADLINE_FIELDIO_OK ||
      leadline_fieldio_read(file, variable, 0, NULL, trial->spread, type, trial->values) != LEADLINE_FIELDIO_OK) {
    return failed(trial, &file);
  }
  leadline_fieldio_free(&file);
  *took_s += MPI_Wtime() - again;
  return true;
}

/* In every round another set comes first, so that none has always the same before it. The first turn, of the usual set,
 * does not count: it also loads libraries and makes connections. */
static bool go_all(Trial* trial, int rounds, double limit_s, leadline_fieldio_choice* choice) {
  const int64_t bytes = points_of(&trial->spread->whole, trial->spread->dimensions) * (int64_t)sizeof(double);
  const double start = MPI_Wtime();
  for (int turn = -1; turn < rounds * SETS && choice->took_s < limit_s; ++turn) {
    const int round = turn / SETS, set = turn < 0 ? 0 : (turn + round) % SETS;
    MPI_Barrier(trial->comm);
    double mine[2];
    if (!go(trial, leadline_fieldio_hint_set(set), &mine[0])) return false;
    mine[1] = MPI_Wtime() - start;
    double most[2];
    MPI_Allreduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, trial->comm);
    if (turn >= 0) trial->times[set][round] = most[0];
    trial->completed = (turn + 1) / SETS;
    choice->took_s = most[1];
    choice->written_bytes += bytes;
  }
  return true;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void sum_up(const Trial* trial, leadline_fieldio_choice* choice) {
  const int rounds = choice->rounds = trial->completed;
  for (int set = 0; set < SETS && rounds > 0; ++set) {
    double sorted[MOST_ROUNDS];
    memcpy(sorted, trial->times[set], sizeof sorted);
    qsort(sorted, (size_t)rounds, sizeof *sorted, by_size);
    choice->least_s[set] = sorted[0];
    choice->median_s[set] = sorted[rounds / 2];
    choice->most_s[set] = sorted[rounds - 1];
  }
  for (int set = 1; set < SETS && rounds >= FEWEST_ROUNDS; ++set) {
    bool wins = choice->median_s[set] < choice->median_s[choice->set];
    for (int round = 0; round < rounds; ++round) {
      wins = wins && trial->times[set][round] < clear * trial->times[0][round];
    }
    if (wins) choice->set = set;
  }
}

static void try_all(Trial* trial, int rounds, double limit_s, leadline_fieldio_choice* choice) {
  if (!go_all(trial, rounds, limit_s, choice)) return;
  sum_up(trial, choice);
}

static void prepare(Trial* trial, const char* path, int rounds, double limit_s) {
  const leadline_spread* spread = trial->spread;
  const size_t length = strlen(path) + sizeof ".hints";
  trial->path = malloc(length);
  trial->values = calloc((size_t)(spread->array_points > 0 ? spread->array_points : 1), sizeof *trial->values);
  if (trial->path == NULL || trial->values == NULL) note(&trial->report, "rank %d: out of memory", spread->rank);
  if (trial->path != NULL) snprintf(trial->path, length, "%s.hints", path);
  if (points_of(&spread->whole, spread->dimensions) > MOST_BYTES / (int)sizeof(double)) {
    note(&trial->report, "trial of hints: the field must be at most %d MiB", MOST_BYTES >> 20);
  }
  if (rounds < 1 || rounds > MOST_ROUNDS)
    note(&trial->report, "trial of hints: expected 1 to %d rounds, got %d", MOST_ROUNDS, rounds);
  if (!(limit_s > 0.0)) note(&trial->report, "trial of hints: the time limit must be above 0 s");
}

int leadline_fieldio_choose_hints(MPI_Comm comm, const char* path, const leadline_spread* spread,
                                  const leadline_fieldio_trial* given, leadline_fieldio_choice* choice, char* message,
                                  size_t message_bytes) {
  const int rounds = given == NULL || given->rounds == 0 ? USUAL_ROUNDS : given->rounds;
  const double limit_s = given == NULL || given->limit_s == 0.0 ? usual_limit_s : given->limit_s;
  const char* keep = given == NULL ? NULL : given->keep;
  memset(choice, 0, sizeof *choice);
  Trial* trial = calloc(1, sizeof *trial);
  int has_memory = trial != NULL, all = 0;
  MPI_Allreduce(&has_memory, &all, 1, MPI_INT, MPI_MIN, comm);
  if (!all) {
    free(trial);
    if (message != NULL) snprintf(message, message_bytes, "out of memory");
    return LEADLINE_FIELDIO_FAILED;
  }
  trial->comm = comm;
  trial->spread = spread;
  prepare(trial, path, rounds, limit_s);
  bool done = agree_on(&trial->report, comm);
  if (done && keep != NULL) take_kept(comm, keep, path, spread, choice);
  if (done && !choice->kept) {
    try_all(trial, rounds, limit_s, choice);
    if (spread->rank == ROOT) unlink(trial->path);
    const bool is_decided = !trial->report.failed && choice->rounds >= FEWEST_ROUNDS;
    if (keep != NULL && is_decided) keep_choice(keep, path, spread, choice, &trial->report);
    done = agree_on(&trial->report, comm);
  }
  snprintf(choice->hints, sizeof choice->hints, "%s", leadline_fieldio_hint_set(choice->set));
  if (message != NULL) snprintf(message, message_bytes, "%s", trial->report.message);
  free(trial->path);
  free(trial->values);
  free(trial);
  return done ? LEADLINE_FIELDIO_OK : LEADLINE_FIELDIO_FAILED;
}
