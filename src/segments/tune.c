/* `auto`: the first exchanges try one form after another, and the fastest is kept.
 *
 * A form's time is what the calls of an exchange took on the rank where they took longest; all ranks learn it after
 * each round, so all decide alike. A round tries each form that is left three times in
 * turn, since the first of them finds the caches full of another's buffers. The smallest time of a form counts, since
 * noise only adds, and after each round those clearly behind are dropped. A form is not
 * dropped while it has had only exchanges during which some rank was taken off its core. The cost of trying a form is
 * what it takes longer than the best each time, and the making of its messages: rounds end when that reaches 2 % of
 * 1000 steps, where a step is the time from one exchange to the next. */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include <stdlib.h>
#include <sys/resource.h>

#include "plan.h"

enum { MOST_FORMS = 24, MOST_ROUNDS = 12, REPEATS = 3, LEAST_ROUNDS = 6, STEPS_ALLOWED = 20 }; /* 2 % of 1000 */

/* What ranks agree on after a round, each the longest on any of them. */
typedef struct {
  double exchange_s[MOST_FORMS][REPEATS];
  double switches[MOST_FORMS][REPEATS]; /* times that a rank was taken off its core */
  double step_s;                        /* the mean */
} Trials;

struct Tuning {
  Form* forms[MOST_FORMS];
  bool dropped[MOST_FORMS];
  Trials this_round;
  double best_s[MOST_FORMS]; /* agreed, over the rounds */
  bool known[MOST_FORMS];    /* there was an exchange during which no rank was off its core */
  int trials[MOST_FORMS];
  int n_forms;
  int current;
  int repeat; /* of the current form in this round */
  int round;
  double round_began_s;
  double step_s;      /* the shortest there was, on average over a round */
  double exchange_s;  /* of the exchange under way */
  long switches;      /* until the last exchange ended */
  double preparing_s; /* making all forms' messages */
};

/* How far behind the best a form may be after each round. The first times are those of cold caches, and a rank that
 * was off its core for a moment must not cost the best form its place. */
static double tolerance(int round) {
  static const double by_round[] = {8.0, 3.0, 1.6, 1.3, 1.2, 1.1};
  return round < 6 ? by_round[round] : 1.05;
}

/* How often this thread was taken off its core. */
static long switches(void) {
#ifdef RUSAGE_THREAD
  const int who = RUSAGE_THREAD;
#else
  const int who = RUSAGE_SELF;
#endif
  struct rusage usage;
  return getrusage(who, &usage) == 0 ? usage.ru_nivcsw : 0;
}

static void forget(Tuning* tuning, int form) {
  tuning->best_s[form] = 1e300;
  tuning->known[form] = false;
}

static void add(leadline_segments* plan, int segments, const int* sizes, leadline_segments_method method,
                bool persistent) {
  Tuning* tuning = plan->tuning;
  if (tuning->n_forms == MOST_FORMS) return;
  Form* form = form_shape(plan->n_fields, segments, sizes, method, persistent);
  if (form == NULL) {
    keep_first(plan, LEADLINE_SEGMENTS_NO_MEMORY, "rank %d: no memory to tune the plan", plan->rank);
    return;
  }
  forget(tuning, tuning->n_forms);
  tuning->forms[tuning->n_forms++] = form;
}

static void add_methods(leadline_segments* plan, int segments, const int* sizes, bool persistent) {
  if (plan->wanted_method != LEADLINE_SEGMENTS_BY_SIZE) {
    add(plan, segments, sizes, plan->wanted_method, persistent);
    return;
  }
  add(plan, segments, sizes, LEADLINE_SEGMENTS_PACK, persistent);
  add(plan, segments, sizes, LEADLINE_SEGMENTS_DATATYPE, persistent);
}

/* Half of the fields, half of the rest, and so on: early segments are large, and little is left for the end. */
static void add_unequal(leadline_segments* plan, bool persistent) {
  int sizes[32];
  int n = 0;
  for (int left = plan->n_fields; left > 0; left -= sizes[n++]) sizes[n] = (left + 1) / 2;
  if (plan->n_fields >= 4) add_methods(plan, n, sizes, persistent);
}

int tune_begin(leadline_segments* plan) {
  plan->tuning = calloc(1, sizeof *plan->tuning);
  if (plan->tuning == NULL) {
    return keep_first(plan, LEADLINE_SEGMENTS_NO_MEMORY, "rank %d: no memory to tune the plan", plan->rank);
  }
  const bool persistent = plan->wanted_persistent != 0;
  add_methods(plan, 1, NULL, persistent);
  for (int segments = 2; segments < plan->n_fields; segments *= 2) add_methods(plan, segments, NULL, persistent);
  if (plan->n_fields > 1) add_methods(plan, plan->n_fields, NULL, persistent);
  add_unequal(plan, persistent);
  if (plan->tuning->n_forms == 0) return plan->error;
  plan->form = plan->tuning->forms[0];
  plan->tuning->round_began_s = MPI_Wtime();
  plan->tuning->switches = switches();
  return plan->error;
}

int tune_before(leadline_segments* plan) {
  Tuning* tuning = plan->tuning;
  tuning->exchange_s = 0.0;
  plan->form = tuning->forms[tuning->current];
  if (plan->form->outgoing != NULL) return LEADLINE_SEGMENTS_OK;
  const double begin = MPI_Wtime();
  const bool fine = form_prepare(plan, plan->form);
  if (!fine) keep_first(plan, LEADLINE_SEGMENTS_NO_MEMORY, "rank %d: no memory to tune the plan", plan->rank);
  const int error = agree(plan, plan->error);
  tuning->preparing_s += MPI_Wtime() - begin;
  return error;
}

void tune_count(leadline_segments* plan, double seconds) {
  if (plan->tuning != NULL) plan->tuning->exchange_s += seconds;
}

static int fastest(const Tuning* tuning) {
  int best = -1;
  for (int n = 0; n < tuning->n_forms; ++n) {
    if (!tuning->dropped[n] && (best < 0 || tuning->best_s[n] < tuning->best_s[best])) best = n;
  }
  return best; /* one is always left: the best is never dropped */
}

static double lost_s(const Tuning* tuning, double best_s) {
  double lost = 0.0;
  for (int n = 0; n < tuning->n_forms; ++n) {
    if (tuning->trials[n] > 0 && tuning->best_s[n] > best_s) lost += tuning->trials[n] * (tuning->best_s[n] - best_s);
  }
  return lost;
}

static void decide(leadline_segments* plan, int chosen) {
  Tuning* tuning = plan->tuning;
  for (int n = 0; n < tuning->n_forms; ++n) plan->tuned_trials += tuning->trials[n];
  plan->tuned_lost_s = lost_s(tuning, tuning->best_s[chosen]) + tuning->preparing_s;
  for (int n = 0; n < tuning->n_forms; ++n) {
    if (n != chosen) form_free(plan, tuning->forms[n]);
  }
  plan->form = tuning->forms[chosen];
  free(tuning);
  plan->tuning = NULL;
}

/* The times of a form in this round. */
static void take(Tuning* tuning, const Trials* agreed, int form) {
  for (int n = 0; n < REPEATS; ++n) {
    if (agreed->exchange_s[form][n] < tuning->best_s[form]) tuning->best_s[form] = agreed->exchange_s[form][n];
    if (agreed->switches[form][n] == 0.0) tuning->known[form] = true;
  }
}

static void end_round(leadline_segments* plan) {
  Tuning* tuning = plan->tuning;
  Trials agreed;
  int tried = 0;
  for (int n = 0; n < tuning->n_forms; ++n) tried += !tuning->dropped[n];
  tuning->this_round.step_s = (MPI_Wtime() - tuning->round_began_s) / (tried * REPEATS);
  MPI_Allreduce(&tuning->this_round, &agreed, sizeof agreed / sizeof(double), MPI_DOUBLE, MPI_MAX, plan->comm);
  tuning->round_began_s = MPI_Wtime();
  if (tuning->round == 0 || agreed.step_s < tuning->step_s) tuning->step_s = agreed.step_s;
  for (int n = 0; n < tuning->n_forms; ++n) {
    if (tuning->dropped[n]) continue;
    tuning->trials[n] += REPEATS;
    if (tuning->round <= 1) forget(tuning, n); /* round 0 warms up */
    take(tuning, &agreed, n);
  }
  const int best = fastest(tuning);
  const bool spent = lost_s(tuning, tuning->best_s[best]) > STEPS_ALLOWED * tuning->step_s;
  const double most = spent && tuning->round > 2 && tolerance(tuning->round) > 1.1 ? 1.1 : tolerance(tuning->round);
  int left = 0;
  for (int n = 0; n < tuning->n_forms; ++n) {
    const bool known = tuning->known[n] || tuning->round >= LEAST_ROUNDS;
    if (known && tuning->best_s[n] > most * tuning->best_s[best]) tuning->dropped[n] = true;
    left += !tuning->dropped[n];
  }
  ++tuning->round;
  if (left == 1 || tuning->round == MOST_ROUNDS || (spent && tuning->round >= LEAST_ROUNDS)) decide(plan, best);
}

int tune_after(leadline_segments* plan) {
  Tuning* tuning = plan->tuning;
  const long now = switches();
  tuning->this_round.exchange_s[tuning->current][tuning->repeat] = tuning->exchange_s;
  tuning->this_round.switches[tuning->current][tuning->repeat] = (double)(now - tuning->switches);
  tuning->switches = now;
  if (++tuning->repeat < REPEATS) return LEADLINE_SEGMENTS_OK;
  tuning->repeat = 0;
  do {
    ++tuning->current;
  } while (tuning->current < tuning->n_forms && tuning->dropped[tuning->current]);
  if (tuning->current < tuning->n_forms) return LEADLINE_SEGMENTS_OK;
  end_round(plan);
  if (plan->tuning == NULL) return LEADLINE_SEGMENTS_OK;
  for (tuning->current = 0; tuning->dropped[tuning->current];) ++tuning->current;
  return LEADLINE_SEGMENTS_OK;
}

void tune_free(leadline_segments* plan) {
  for (int n = 0; n < plan->tuning->n_forms; ++n) form_free(plan, plan->tuning->forms[n]);
  free(plan->tuning);
  plan->tuning = NULL;
}

int leadline_segments_tuned(const leadline_segments* plan, int* trials, double* lost) {
  if (trials != NULL) *trials = plan->tuned_trials;
  if (lost != NULL) *lost = plan->tuned_lost_s;
  return plan->committed && plan->tuning == NULL;
}
