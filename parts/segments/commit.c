/* The commit: all ranks check the plan, then the messages are made. */
#include <limits.h>
#include <stdlib.h>

#include "plan.h"

static int check_segments(leadline_segments* plan, int segments, const int* sizes) {
  if (segments < 0 || segments > plan->n_fields) {
    return keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN, "rank %d: %d segments for %d fields, at most one per field",
                      plan->rank, segments, plan->n_fields);
  }
  int sum = 0;
  for (int s = 0; s < segments && sizes != NULL; ++s) {
    if (sizes[s] < 1 || sizes[s] > plan->n_fields - sum) {
      return keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN,
                        "rank %d: segment %d has %d fields, but %d of %d are already assigned", plan->rank, s, sizes[s],
                        sum, plan->n_fields);
    }
    sum += sizes[s];
  }
  if (segments > 0 && sizes != NULL && sum != plan->n_fields) {
    return keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN, "rank %d: the segments cover %d fields, but the plan has %d",
                      plan->rank, sum, plan->n_fields);
  }
  return plan->error;
}

/* MPI counts bytes in an int here. All fields in one message is the most that any form has. */
static int check_lengths(leadline_segments* plan) {
  for (int neighbour = 0; neighbour < plan->n_neighbours; ++neighbour) {
    size_t sent = 0, received = 0;
    for (int field = 0; field < plan->n_fields; ++field) {
      const Face* face = face_of(plan, field, neighbour);
      sent += face->send.bytes;
      received += face->receive.bytes;
      if (sent <= INT_MAX && received <= INT_MAX) continue;
      return keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN,
                        "rank %d: neighbour %d (rank %d): faces exceed 2 GiB with field %s; make two plans", plan->rank,
                        neighbour, plan->neighbours[neighbour].rank, plan->fields[field].name);
    }
  }
  return plan->error;
}

static int agree_on_tags(leadline_segments* plan) {
  int mine = 0;
  for (int n = 0; n < plan->n_neighbours; ++n) {
    const Neighbour* neighbour = &plan->neighbours[n];
    if (neighbour->outgoing >= mine) mine = neighbour->outgoing + 1;
    if (neighbour->incoming >= mine) mine = neighbour->incoming + 1;
  }
  MPI_Allreduce(&mine, &plan->directions, 1, MPI_INT, MPI_MAX, plan->comm);
  void* most;
  int there;
  MPI_Comm_get_attr(plan->comm, MPI_TAG_UB, &most, &there);
  if ((long)plan->directions * plan->n_fields <= (there ? *(int*)most : 32767)) return LEADLINE_SEGMENTS_OK;
  return keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN,
                    "rank %d: %d fields and directions up to %d need more tags than MPI_TAG_UB", plan->rank,
                    plan->n_fields, plan->directions - 1);
}

static int out_of_memory(leadline_segments* plan) {
  return keep_first(plan, LEADLINE_SEGMENTS_NO_MEMORY, "rank %d: out of memory (messages; the first field is %s)",
                    plan->rank, plan->fields[0].name);
}

/* The lot of checks; the shape of a given segmentation is made on the way. */
static int check(leadline_segments* plan, int segments, const int* sizes) {
  if (check_local(plan) == LEADLINE_SEGMENTS_OK && check_segments(plan, segments, sizes) == LEADLINE_SEGMENTS_OK) {
    check_lengths(plan);
  }
  int error = agree(plan, plan->error);
  if (error != LEADLINE_SEGMENTS_OK) return error;
  if (segments != LEADLINE_SEGMENTS_AUTO) {
    plan->form = form_shape(plan->n_fields, segments, sizes, plan->wanted_method, plan->wanted_persistent != 0);
    if (plan->form == NULL) out_of_memory(plan);
  }
  agree_on_tags(plan);
  check_neighbours(plan, plan->form);
  return agree(plan, plan->error);
}

int leadline_segments_commit(leadline_segments* plan, int segments, const int* sizes) {
  if (plan == NULL) return LEADLINE_SEGMENTS_NO_MEMORY;
  if (plan->committed) return fail(plan, LEADLINE_SEGMENTS_MISUSE, "rank %d: the plan was committed twice", plan->rank);
  if (plan->broken) return LEADLINE_SEGMENTS_WRONG_PLAN;
  plan->checks_always = getenv("LEADLINE_SEGMENTS_CHECK") != NULL;
  int error = roll_call(plan);
  if (error != LEADLINE_SEGMENTS_OK) return error;
  int lowest, mine = plan->checks_always; /* collective, so all or none */
  MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, plan->comm);
  plan->checks_always = lowest;
  error = check(plan, segments, sizes);
  if (error != LEADLINE_SEGMENTS_OK) return error;
  if (segments == LEADLINE_SEGMENTS_AUTO) {
    error = apply_loaded(plan);
    if (error != LEADLINE_SEGMENTS_OK) return error;
  }
  if (!exchange_prepare(plan) || (plan->form != NULL && !form_prepare(plan, plan->form))) out_of_memory(plan);
  if (plan->form == NULL && plan->error == LEADLINE_SEGMENTS_OK) tune_begin(plan);
  error = agree(plan, plan->error);
  if (error == LEADLINE_SEGMENTS_OK && plan->tuning != NULL) tune_agree(plan);
  plan->committed = error == LEADLINE_SEGMENTS_OK;
  return error;
}

int leadline_segments_in_use(const leadline_segments* plan, int* sizes, leadline_segments_method* method,
                             int* persistent) {
  if (plan->form == NULL) return 0;
  for (int s = 0; s < plan->form->segments && sizes != NULL; ++s) {
    sizes[s] = plan->form->first[s + 1] - plan->form->first[s];
  }
  if (method != NULL) *method = plan->form->method;
  if (persistent != NULL) *persistent = plan->form->persistent;
  return plan->form->segments;
}

void leadline_segments_free(leadline_segments** given) {
  leadline_segments* plan = *given;
  *given = NULL;
  if (plan == NULL) return;
  if (plan->under_way) leadline_segments_wait(plan);
  if (plan->tuning != NULL) {
    tune_free(plan); /* whose forms the current one is of */
  } else {
    form_free(plan, plan->form);
  }
  for (int field = 0; field < plan->n_fields; ++field) {
    for (int neighbour = 0; neighbour < plan->n_neighbours; ++neighbour) {
      layout_free(&face_of(plan, field, neighbour)->send);
      layout_free(&face_of(plan, field, neighbour)->receive);
    }
  }
  if (plan->comm != MPI_COMM_NULL) MPI_Comm_free(&plan->comm);
  free(plan->loaded_from);
  free(plan->field_ready);
  free(plan->left);
  free(plan->arrived);
  free(plan->faces);
  free(plan->fields);
  free(plan->neighbours);
  free(plan);
}
