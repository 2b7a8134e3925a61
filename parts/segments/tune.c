/* `auto`: finds the form in the first exchanges of the run.
 *
 * A batch tries one form a few times. The time of an exchange is that of the rank where it took longest; all ranks
 * learn it when the batch ends, so all decide alike. The first exchange of a batch is not counted: it finds the caches
 * full of another form's buffers.
 *
 * 1. The form of a plan that leaves the choice to the library comes first. What a step takes says what may be spent:
 *    2 % of 1000 steps. Trials that take longer than the fastest form, making messages, and agreeing are what is spent.
 * 2. Other forms follow, as search.c names them. A form is tried only if that is expected to cost no more than is left.
 * 3. Those that came near the fastest race, and the first form with them: all are in each batch, until one is ahead,
 *    the budget is spent or enough is known. A low quantile is compared, since noise only adds, and the smallest time
 * may be luck. */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "search.h"

enum { MOST_SAMPLES = 24, FIRST_REPEATS = 9, REPEATS = 4, RACE_REPEATS = 3, STEPS_ALLOWED = 20 }; /* 2 % of 1000 */
enum { MOST_RACERS = 6, LEAST_RACES = 2, MOST_RACES = 10 };

/* How far behind the fastest a form may be to take part in the next race. */
static double tolerance(int races) {
  static const double by_races[] = {1.2, 1.15, 1.15, 1.08, 1.08, 1.08};
  return races < 6 ? by_races[races] : 1.04;
}

/* The extra time of the first datatypes that a program makes. */
#ifdef I_MPI_VERSION
static const double first_datatype_s = 1e-3;
#else
static const double first_datatype_s = 0.0;
#endif

/* The first form's times are those of a program that has just begun: only what is further behind is not tried again. */
static const double doubtful = 1.5;

typedef struct {
  Form* form;
  double samples[MOST_SAMPLES];
  int n_samples;
  int trials;
  int clean; /* samples during which no rank was taken off its core */
  double time_s;
} Candidate;

/* What ranks agree on after a batch, each the longest on any of them. */
typedef struct {
  double exchange_s[MOST_RACERS][FIRST_REPEATS];
  double switches[MOST_RACERS][FIRST_REPEATS];
  double step_s;      /* the mean */
  double preparing_s; /* making messages */
  double agreeing_s;  /* the last time, negative: the rank that came last did not wait */
  double overlapped;  /* fields are declared ready one by one */
} Trials;

struct Tuning {
  Search search;
  Candidate candidates[MOST_FORMS];
  int n_candidates;
  int batch[MOST_RACERS];
  int n_batch;
  int repeats;
  int at;     /* in the batch */
  int repeat; /* of that form */
  int races;
  Trials mine;
  double first_ended_s;     /* the batch's first exchange, which may be much longer than others */
  double preparing_later_s; /* after it */
  double exchange_s;        /* of the exchange under way */
  double step_s;            /* the shortest there was, on average over a batch */
  double spent_s;           /* on making messages and agreeing */
  double agreeing_s;        /* the last time */
  double making_s[3];       /* what making messages took, for each method, had it been one segment */
  long switches;            /* until the last exchange ended */
};

/* How often this thread was preempted. */
static long switches(void) {
#ifdef RUSAGE_THREAD
  const int who = RUSAGE_THREAD;
#else
  const int who = RUSAGE_SELF;
#endif
  struct rusage usage;
  return getrusage(who, &usage) == 0 ? usage.ru_nivcsw : 0;
}

static int out_of_memory(leadline_segments* plan) {
  return keep_first(plan, LEADLINE_SEGMENTS_NO_MEMORY, "rank %d: out of memory (tuning)", plan->rank);
}

static void add(leadline_segments* plan, int segments, const int* sizes, leadline_segments_method method) {
  Tuning* tuning = plan->tuning;
  Form* form = form_shape(plan->n_fields, segments, sizes, method, plan->wanted_persistent != 0);
  if (form == NULL) out_of_memory(plan); /* which tune_before() tells all ranks */
  tuning->candidates[tuning->n_candidates++] = (Candidate){.form = form, .time_s = 1e300};
}

static void begin_batch(leadline_segments* plan, int repeats) {
  Tuning* tuning = plan->tuning;
  tuning->at = tuning->repeat = 0;
  tuning->repeats = repeats;
  tuning->mine.preparing_s = 0.0;
  tuning->preparing_later_s = 0.0;
  tuning->switches = switches();
}

int tune_begin(leadline_segments* plan) {
  Tuning* tuning = plan->tuning = calloc(1, sizeof *plan->tuning);
  if (tuning == NULL) return out_of_memory(plan);
  add(plan, 1, NULL, plan->wanted_method);
  plan->form = tuning->candidates[0].form;
  const double begin = MPI_Wtime();
  if (plan->form == NULL || !form_prepare(plan, plan->form)) return out_of_memory(plan);
  tuning->making_s[LEADLINE_SEGMENTS_BY_SIZE] = MPI_Wtime() - begin;
  return LEADLINE_SEGMENTS_OK;
}

void tune_agree(leadline_segments* plan) {
  Tuning* tuning = plan->tuning;
  search_begin(&tuning->search, plan);
  const double mine_s = tuning->making_s[LEADLINE_SEGMENTS_BY_SIZE];
  double longest_s;
  MPI_Allreduce(&mine_s, &longest_s, 1, MPI_DOUBLE, MPI_MAX, plan->comm);
  for (int method = 0; method < 3; ++method) tuning->making_s[method] = longest_s;
  tuning->n_batch = 1;
  begin_batch(plan, FIRST_REPEATS);
}

int tune_before(leadline_segments* plan) {
  Tuning* tuning = plan->tuning;
  tuning->exchange_s = 0.0;
  plan->form = tuning->candidates[tuning->batch[tuning->at]].form;
  if (plan->form != NULL && plan->form->prepared) return LEADLINE_SEGMENTS_OK;
  const double begin = MPI_Wtime();
  if (plan->form == NULL || !form_prepare(plan, plan->form)) out_of_memory(plan);
  const int error = agree(plan, plan->error);
  const double took_s = MPI_Wtime() - begin;
  tuning->mine.preparing_s += took_s;
  if (tuning->at > 0) tuning->preparing_later_s += took_s;
  return error;
}

void tune_count(leadline_segments* plan, double seconds) {
  if (plan->tuning != NULL) plan->tuning->exchange_s += seconds;
}

void tune_overlaps(leadline_segments* plan) {
  if (plan->tuning != NULL) plan->tuning->mine.overlapped = 1.0;
}

static int fastest(const Tuning* tuning) {
  int best = 0;
  for (int n = 1; n < tuning->n_candidates; ++n) {
    if (tuning->candidates[n].time_s < tuning->candidates[best].time_s) best = n;
  }
  return best;
}

static double lost_s(const Tuning* tuning) {
  const double best_s = tuning->candidates[fastest(tuning)].time_s;
  double lost = tuning->spent_s;
  for (int n = 0; n < tuning->n_candidates; ++n) {
    const Candidate* candidate = &tuning->candidates[n];
    if (candidate->trials > 0) lost += candidate->trials * (candidate->time_s - best_s);
  }
  return lost;
}

static void decide(leadline_segments* plan) {
  Tuning* tuning = plan->tuning;
  const int chosen = fastest(tuning);
  plan->tuned_lost_s = lost_s(tuning);
  for (int n = 0; n < tuning->n_candidates; ++n) {
    plan->tuned_trials += tuning->candidates[n].trials;
    if (n != chosen) form_free(plan, tuning->candidates[n].form);
  }
  plan->form = tuning->candidates[chosen].form;
  free(tuning);
  plan->tuning = NULL;
}

static int by_value(const void* a, const void* b) {
  const double one = *(const double*)a, other = *(const double*)b;
  return (one > other) - (one < other);
}

static void take(Candidate* candidate, const double* exchange_s, const double* switched, int repeats) {
  candidate->trials += repeats;
  for (int n = 1; n < repeats && candidate->n_samples < MOST_SAMPLES; ++n) {
    candidate->samples[candidate->n_samples++] = exchange_s[n];
    candidate->clean += switched[n] == 0.0;
  }
  double sorted[MOST_SAMPLES];
  memcpy(sorted, candidate->samples, sizeof sorted);
  qsort(sorted, (size_t)candidate->n_samples, sizeof *sorted, by_value);
  candidate->time_s = sorted[candidate->n_samples / 5];
}

/* Of one segment for each field it takes about three times as long as of one segment. */
static double effort(const leadline_segments* plan, int segments) { return 1.0 + 2.0 * segments / plan->n_fields; }

/* A program's first messages take much longer than those after them. */
static void learn_making(leadline_segments* plan, double took_s) {
  Tuning* tuning = plan->tuning;
  const Form* form = tuning->candidates[tuning->batch[0]].form;
  const double one_s = took_s / effort(plan, form->segments);
  if (took_s > 0.0 && one_s < tuning->making_s[form->method]) tuning->making_s[form->method] = one_s;
  if (form->method == LEADLINE_SEGMENTS_DATATYPE) tuning->search.describes = true;
}

/* The batch's times, as agreed. */
static void end_batch(leadline_segments* plan) {
  Tuning* tuning = plan->tuning;
  Trials agreed;
  const double now = MPI_Wtime();
  tuning->mine.step_s =
      (now - tuning->first_ended_s - tuning->preparing_later_s) / (tuning->n_batch * tuning->repeats - 1);
  MPI_Allreduce(&tuning->mine, &agreed, sizeof agreed / sizeof(double), MPI_DOUBLE, MPI_MAX, plan->comm);
  tuning->agreeing_s = -agreed.agreeing_s;
  tuning->spent_s += agreed.preparing_s + tuning->agreeing_s;
  if (tuning->n_batch == 1) learn_making(plan, agreed.preparing_s);
  tuning->mine.agreeing_s = now - MPI_Wtime();
  tuning->search.overlapped = agreed.overlapped != 0.0;
  if (tuning->step_s == 0.0 || agreed.step_s < tuning->step_s) tuning->step_s = agreed.step_s;
  for (int n = 0; n < tuning->n_batch; ++n) {
    take(&tuning->candidates[tuning->batch[n]], agreed.exchange_s[n], agreed.switches[n], tuning->repeats);
  }
}

static double left_s(const Tuning* tuning) { return STEPS_ALLOWED * tuning->step_s - lost_s(tuning); }

/* True where the next form of the search is to be tried. */
static bool next_trial(leadline_segments* plan) {
  Tuning* tuning = plan->tuning;
  const int last = tuning->batch[0];
  const double best_s = tuning->candidates[fastest(tuning)].time_s;
  Candidate* tried = &tuning->candidates[last];
  if (tried->clean == 0 && tried->trials == REPEATS && tried->time_s > best_s && left_s(tuning) > 0) return true;
  search_told(&tuning->search, tried->time_s, best_s);
  Choice choice;
  while (tuning->n_candidates < MOST_FORMS && search_next(&tuning->search, plan, &choice)) {
    /* The form may take as much longer than the best as that takes. */
    const bool unknown = choice.method == LEADLINE_SEGMENTS_DATATYPE && !tuning->search.describes;
    const double making_s =
        tuning->making_s[choice.method] * effort(plan, choice.segments) + (unknown ? first_datatype_s : 0.0);
    const double trying_s = REPEATS * best_s + tuning->agreeing_s;
    const double racing_s = LEAST_RACES * (RACE_REPEATS * best_s / 2 + tuning->agreeing_s); /* with the first form */
    if (making_s + trying_s + racing_s > left_s(tuning)) {
      search_told(&tuning->search, 1e300, best_s);
      continue;
    }
    tuning->batch[0] = tuning->n_candidates;
    add(plan, choice.segments, choice.unequal ? choice.sizes : NULL, choice.method);
    return true;
  }
  return false;
}

static bool was_in(const Tuning* tuning, int candidate) {
  for (int n = 0; n < tuning->n_batch; ++n) {
    if (tuning->batch[n] == candidate) return true;
  }
  return false;
}

/* The forms that are still in the race, of many the fastest. The first form stays for a while: its first times are
 * those of a program that has just begun. False where the race is over. */
static bool next_race(leadline_segments* plan) {
  Tuning* tuning = plan->tuning;
  const double best_s = tuning->candidates[fastest(tuning)].time_s;
  const bool must = tuning->races < LEAST_RACES && tuning->candidates[0].time_s < doubtful * best_s;
  const double most_s = best_s * tolerance(tuning->races);
  bool in[MOST_FORMS];
  for (int n = 0; n < tuning->n_candidates; ++n) {
    in[n] = tuning->candidates[n].time_s <= most_s && (tuning->races == 0 || was_in(tuning, n));
  }
  int racers = 0, batch[MOST_RACERS];
  if (must) {
    in[0] = false;
    batch[racers++] = 0;
  }
  for (; racers < MOST_RACERS; ++racers) {
    int next = -1;
    for (int n = 0; n < tuning->n_candidates; ++n) {
      if (in[n] && (next < 0 || tuning->candidates[n].time_s < tuning->candidates[next].time_s)) next = n;
    }
    if (next < 0) break;
    in[next] = false;
    batch[racers] = next;
  }
  memcpy(tuning->batch, batch, sizeof batch);
  tuning->n_batch = racers;
  if (racers < 2 || tuning->races++ == MOST_RACES) return false;
  return must || left_s(tuning) > tuning->agreeing_s;
}

int tune_after(leadline_segments* plan) {
  Tuning* tuning = plan->tuning;
  const long now = switches();
  tuning->mine.exchange_s[tuning->at][tuning->repeat] = tuning->exchange_s;
  tuning->mine.switches[tuning->at][tuning->repeat] = (double)(now - tuning->switches);
  tuning->switches = now;
  if (tuning->at == 0 && tuning->repeat == 0) tuning->first_ended_s = MPI_Wtime();
  if (++tuning->repeat < tuning->repeats) return LEADLINE_SEGMENTS_OK;
  tuning->repeat = 0;
  if (++tuning->at < tuning->n_batch) return LEADLINE_SEGMENTS_OK;
  end_batch(plan);
  if (tuning->races == 0 && next_trial(plan)) {
    begin_batch(plan, REPEATS);
  } else if (!next_race(plan)) {
    decide(plan);
  } else {
    begin_batch(plan, RACE_REPEATS);
  }
  return plan->error;
}

void tune_free(leadline_segments* plan) {
  for (int n = 0; n < plan->tuning->n_candidates; ++n) form_free(plan, plan->tuning->candidates[n].form);
  free(plan->tuning);
  plan->tuning = NULL;
}

int leadline_segments_tuned(const leadline_segments* plan, int* trials, double* lost) {
  if (trials != NULL) *trials = plan->tuned_trials;
  if (lost != NULL) *lost = plan->tuned_lost_s;
  return plan->committed && plan->tuning == NULL;
}
