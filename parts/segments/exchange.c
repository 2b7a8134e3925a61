/* start, ready, wait: an exchange in the plan's form. */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

#ifdef _OPENMP
enum { has_threads = 1 };
#else
enum { has_threads = 0 };
#endif
/* From here on threads pack faster than one does. */
#ifndef LEADLINE_SEGMENTS_THREADED_BYTES
#define LEADLINE_SEGMENTS_THREADED_BYTES (1 << 20)
#endif

bool exchange_prepare(leadline_segments* plan) {
  plan->field_ready = calloc((size_t)plan->n_fields, sizeof *plan->field_ready);
  plan->left = calloc((size_t)plan->n_fields, sizeof *plan->left);
  plan->arrived = calloc((size_t)plan->n_fields, sizeof *plan->arrived);
  return plan->field_ready != NULL && plan->left != NULL && plan->arrived != NULL;
}

static int misuse(leadline_segments* plan, const char* what) {
  return fail(plan, LEADLINE_SEGMENTS_MISUSE, "rank %d: %s", plan->rank, what);
}

static int usable(leadline_segments* plan) {
  if (plan->broken) return LEADLINE_SEGMENTS_WRONG_PLAN; /* with the message that said why */
  if (!plan->committed) return misuse(plan, "the plan was used before it was committed");
  return LEADLINE_SEGMENTS_OK;
}

static int end_of(const leadline_segments* plan, const Traffic* traffic, int segment) {
  return traffic->first[(segment + 1) * plan->n_neighbours];
}

static int begin_of(const leadline_segments* plan, const Traffic* traffic, int segment) {
  return traffic->first[segment * plan->n_neighbours];
}

static void start_receives(leadline_segments* plan, const Form* form) {
  const Traffic* traffic = &form->incoming;
  for (int n = 0; n < end_of(plan, traffic, form->segments - 1); ++n) {
    const Message* message = &traffic->messages[n];
    if (message->persistent) {
      MPI_Start(&traffic->requests[n]);
    } else {
      MPI_Irecv(message->address, message->count, message->type, message->rank, message->tag, plan->comm,
                &traffic->requests[n]);
    }
  }
}

static void send_message(leadline_segments* plan, const Traffic* traffic, int n) {
  const Message* message = &traffic->messages[n];
  if (message->persistent) {
    MPI_Start(&traffic->requests[n]);
  } else {
    MPI_Isend(message->address, message->count, message->type, message->rank, message->tag, plan->comm,
              &traffic->requests[n]);
  }
}

static void send_segment(leadline_segments* plan, const Form* form, int segment) {
  const Traffic* traffic = &form->outgoing;
  for (int n = begin_of(plan, traffic, segment); n < end_of(plan, traffic, segment); ++n) {
    send_message(plan, traffic, n);
  }
}

static void pack_field(const leadline_segments* plan, const Form* form, int field) {
  const Traffic* traffic = &form->outgoing;
  for (int neighbour = 0; neighbour < plan->n_neighbours; ++neighbour) {
    const Layout* layout = &face_of(plan, field, neighbour)->send;
    if (layout->bytes == 0) continue;
    const int face = field * plan->n_neighbours + neighbour;
    char* buffer = traffic->messages[traffic->message[face]].buffer;
    if (buffer != NULL) pack_layout(buffer + traffic->place[face], layout);
  }
}

static bool is_threaded(const leadline_segments* plan, const Traffic* traffic, int segment) {
  if (!has_threads) return false;
  size_t bytes = 0;
  for (int n = begin_of(plan, traffic, segment); n < end_of(plan, traffic, segment); ++n) {
    bytes += traffic->messages[n].bytes;
  }
  return bytes >= LEADLINE_SEGMENTS_THREADED_BYTES;
}

/* Packs the fields of the segment that are not ready yet, by several threads where it pays, and sends it. */
static void send_rest(leadline_segments* plan, const Form* form, int segment) {
  const Traffic* traffic = &form->outgoing;
  const int first = form->first[segment], end = form->first[segment + 1];
  if (plan->left[segment] == end - first && !is_threaded(plan, traffic, segment)) {
    for (int n = begin_of(plan, traffic, segment); n < end_of(plan, traffic, segment); ++n) {
      const Message* message = &traffic->messages[n];
      if (message->buffer != NULL) pack_layout(message->buffer, &message->pieces);
      send_message(plan, traffic, n); /* and travels while the next one is packed */
    }
    return;
  }
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (is_threaded(plan, traffic, segment))
#endif
  for (int field = first; field < end; ++field) {
    if (!plan->field_ready[field]) pack_field(plan, form, field);
  }
  send_segment(plan, form, segment);
}

static void unpack_message(const leadline_segments* plan, const Traffic* traffic, const Message* message,
                           int neighbour) {
  if (message->buffer == NULL) return;
  if (!has_threads || message->bytes < LEADLINE_SEGMENTS_THREADED_BYTES) {
    unpack_layout(&message->pieces, message->buffer);
    return;
  }
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
  for (int field = message->field; field < message->end_field; ++field) {
    unpack_layout(&face_of(plan, field, neighbour)->receive,
                  message->buffer + traffic->place[field * plan->n_neighbours + neighbour]);
  }
}

static void receive_message(const leadline_segments* plan, const Traffic* traffic, int n, int neighbour) {
  MPI_Wait(&traffic->requests[n], MPI_STATUS_IGNORE);
  unpack_message(plan, traffic, &traffic->messages[n], neighbour);
}

static void receive_segment(leadline_segments* plan, const Form* form, int segment) {
  if (plan->arrived[segment]) return;
  plan->arrived[segment] = true;
  const Traffic* traffic = &form->incoming;
  for (int neighbour = 0; neighbour < plan->n_neighbours; ++neighbour) {
    const int pair = segment * plan->n_neighbours + neighbour;
    for (int n = traffic->first[pair]; n < traffic->first[pair + 1]; ++n) {
      receive_message(plan, traffic, n, neighbour);
    }
  }
}

/* Round by round, one message to each neighbour and one from each. Both ends of a pair divide a segment into the same
 * messages, so each rank's round ends when its neighbours have begun theirs. */
static void take_turns(leadline_segments* plan, const Form* form, int segment) {
  const Traffic *outgoing = &form->outgoing, *incoming = &form->incoming;
  bool more = true;
  for (int round = 0; more; ++round) {
    more = false;
    for (int neighbour = 0; neighbour < plan->n_neighbours; ++neighbour) {
      const int pair = segment * plan->n_neighbours + neighbour, n = outgoing->first[pair] + round;
      if (n >= outgoing->first[pair + 1]) continue;
      const Message* message = &outgoing->messages[n];
      if (message->buffer != NULL) pack_layout(message->buffer, &message->pieces);
      send_message(plan, outgoing, n);
      more = true;
    }
    for (int neighbour = 0; neighbour < plan->n_neighbours; ++neighbour) {
      const int pair = segment * plan->n_neighbours + neighbour, n = incoming->first[pair] + round;
      if (n >= incoming->first[pair + 1]) continue;
      receive_message(plan, incoming, n, neighbour);
      more = true;
    }
  }
  plan->arrived[segment] = true;
}

static bool goes_in_turn(const leadline_segments* plan, const Form* form, int segment) {
  const int fields = form->first[segment + 1] - form->first[segment];
  return form->in_turn && !plan->arrived[segment] && plan->left[segment] == fields &&
         !is_threaded(plan, &form->outgoing, segment);
}

static int start(leadline_segments* plan) {
  if (plan->checks_always) {
    const int error = agree(plan, check_memory(plan));
    if (error != LEADLINE_SEGMENTS_OK) return error;
  }
  const Form* form = plan->form;
  memset(plan->field_ready, 0, (size_t)plan->n_fields * sizeof *plan->field_ready);
  for (int segment = 0; segment < form->segments; ++segment) {
    plan->left[segment] = form->first[segment + 1] - form->first[segment];
    plan->arrived[segment] = false;
  }
  start_receives(plan, form);
  plan->under_way = true;
  return LEADLINE_SEGMENTS_OK;
}

static void ready(leadline_segments* plan, int field) {
  if (plan->field_ready[field]) return;
  const Form* form = plan->form;
  const int segment = segment_of(form, field);
  pack_field(plan, form, field);
  plan->field_ready[field] = true;
  if (--plan->left[segment] == 0) send_segment(plan, form, segment);
}

static void wait_all(leadline_segments* plan) {
  const Form* form = plan->form;
  for (int segment = 0; segment < form->segments; ++segment) {
    if (plan->left[segment] == 0) continue;
    if (goes_in_turn(plan, form, segment)) {
      take_turns(plan, form, segment);
    } else {
      send_rest(plan, form, segment);
    }
    plan->left[segment] = 0;
  }
  for (int segment = 0; segment < form->segments; ++segment) receive_segment(plan, form, segment);
  MPI_Waitall(end_of(plan, &form->outgoing, form->segments - 1), form->outgoing.requests, MPI_STATUSES_IGNORE);
  plan->under_way = false;
}

int leadline_segments_start(leadline_segments* plan) {
  int error = usable(plan);
  if (error != LEADLINE_SEGMENTS_OK) return error;
  if (plan->under_way) return misuse(plan, "an exchange was started before the previous one was completed");
  if (plan->tuning != NULL) error = tune_before(plan);
  if (error != LEADLINE_SEGMENTS_OK) return error;
  const double begin = plan->tuning != NULL ? MPI_Wtime() : 0.0;
  error = start(plan);
  if (plan->tuning != NULL) tune_count(plan, MPI_Wtime() - begin);
  return error;
}

static int under_way(leadline_segments* plan, int field, const char* call) {
  const int error = usable(plan);
  if (error != LEADLINE_SEGMENTS_OK) return error;
  if (!plan->under_way) {
    return fail(plan, LEADLINE_SEGMENTS_MISUSE, "rank %d: %s, but no exchange is active", plan->rank, call);
  }
  if (field < 0 || field >= plan->n_fields) {
    return fail(plan, LEADLINE_SEGMENTS_MISUSE, "rank %d: %s: no field %d, the plan has %d fields", plan->rank, call,
                field, plan->n_fields);
  }
  return LEADLINE_SEGMENTS_OK;
}

int leadline_segments_ready(leadline_segments* plan, int field) {
  const int error = under_way(plan, field, "ready");
  if (error != LEADLINE_SEGMENTS_OK) return error;
  const double begin = plan->tuning != NULL ? MPI_Wtime() : 0.0;
  tune_overlaps(plan);
  ready(plan, field);
  if (plan->tuning != NULL) tune_count(plan, MPI_Wtime() - begin);
  return LEADLINE_SEGMENTS_OK;
}

int leadline_segments_wait_field(leadline_segments* plan, int field) {
  const int error = under_way(plan, field, "wait");
  if (error != LEADLINE_SEGMENTS_OK) return error;
  const int segment = segment_of(plan->form, field);
  if (plan->left[segment] > 0) {
    return fail(plan, LEADLINE_SEGMENTS_MISUSE,
                "rank %d: wait for field %s: its segment has %d fields not marked ready", plan->rank,
                plan->fields[field].name, plan->left[segment]);
  }
  const double begin = plan->tuning != NULL ? MPI_Wtime() : 0.0;
  receive_segment(plan, plan->form, segment);
  if (plan->tuning != NULL) tune_count(plan, MPI_Wtime() - begin);
  return LEADLINE_SEGMENTS_OK;
}

int leadline_segments_wait(leadline_segments* plan) {
  const int error = under_way(plan, 0, "wait");
  if (error != LEADLINE_SEGMENTS_OK) return error;
  if (plan->tuning == NULL) {
    wait_all(plan);
    return LEADLINE_SEGMENTS_OK;
  }
  const double begin = MPI_Wtime();
  wait_all(plan);
  tune_count(plan, MPI_Wtime() - begin);
  return tune_after(plan);
}

int leadline_segments_exchange(leadline_segments* plan) {
  const int error = leadline_segments_start(plan);
  return error != LEADLINE_SEGMENTS_OK ? error : leadline_segments_wait(plan);
}
