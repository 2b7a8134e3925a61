/* Checks the plan: each rank checks its own part and what its neighbours send; then all agree. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "plan.h"

/* --- What one rank can see ------------------------------------------------------------------------------------- */

typedef struct {
  const char* begin;
  const char* end;
  int field;
  int neighbour;
  bool received;
} Span;

static int by_begin(const void* a, const void* b) {
  const Span *one = a, *other = b;
  return (one->begin > other->begin) - (one->begin < other->begin);
}

static size_t add_spans(Span* spans, size_t used, const Layout* layout, int field, int neighbour, bool received) {
  for (int n = 0; n < layout->n_runs; ++n) {
    const Run* run = &layout->runs[n];
    for (size_t k = 0; k < run->count; ++k) {
      const char* begin = run->at + (ptrdiff_t)k * run->stride;
      if (spans != NULL) spans[used] = (Span){begin, begin + run->bytes, field, neighbour, received};
      ++used;
    }
  }
  return used;
}

static size_t all_spans(const leadline_segments* plan, Span* spans) {
  size_t used = 0;
  for (int field = 0; field < plan->n_fields; ++field) {
    for (int neighbour = 0; neighbour < plan->n_neighbours; ++neighbour) {
      const Face* face = face_of(plan, field, neighbour);
      used = add_spans(spans, used, &face->send, field, neighbour, false);
      used = add_spans(spans, used, &face->receive, field, neighbour, true);
    }
  }
  return used;
}

static int overlap(leadline_segments* plan, const Span* one, const Span* other) {
  if (!one->received) {
    const Span* swapped = one;
    one = other;
    other = swapped;
  }
  return keep_first(
      plan, LEADLINE_SEGMENTS_WRONG_PLAN,
      "rank %d: buffers overlap: field %s, received from neighbour %d (rank %d), and field %s, %s neighbour %d "
      "(rank %d), at address %p",
      plan->rank, plan->fields[one->field].name, one->neighbour, plan->neighbours[one->neighbour].rank,
      plan->fields[other->field].name, other->received ? "received from" : "sent to", other->neighbour,
      plan->neighbours[other->neighbour].rank, (const void*)(one->begin > other->begin ? one->begin : other->begin));
}

/* Nothing may be received where something else is received or sent from. Sent faces may share points. */
static int check_overlaps(leadline_segments* plan) {
  const size_t count = all_spans(plan, NULL);
  Span* spans = malloc((count + 1) * sizeof *spans);
  if (spans == NULL) return keep_first(plan, LEADLINE_SEGMENTS_NO_MEMORY, "rank %d: out of memory (plan)", plan->rank);
  all_spans(plan, spans);
  qsort(spans, count, sizeof *spans, by_begin);
  const Span *sent = NULL, *received = NULL; /* those that reach furthest so far */
  for (size_t n = 0; n < count && plan->error == LEADLINE_SEGMENTS_OK; ++n) {
    const Span* span = &spans[n];
    if (received != NULL && received->end > span->begin) overlap(plan, received, span);
    if (span->received && sent != NULL && sent->end > span->begin) overlap(plan, sent, span);
    const Span** furthest = span->received ? &received : &sent;
    if (*furthest == NULL || (*furthest)->end < span->end) *furthest = span;
  }
  free(spans);
  return plan->error;
}

static int check_directions(leadline_segments* plan) {
  for (int n = 0; n < plan->n_neighbours; ++n) {
    const Neighbour* one = &plan->neighbours[n];
    for (int k = 0; k < n && one->rank != MPI_PROC_NULL; ++k) {
      const Neighbour* other = &plan->neighbours[k];
      if (other->rank != one->rank) continue;
      if (other->outgoing != one->outgoing && other->incoming != one->incoming) continue;
      return keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN,
                        "rank %d: neighbours %d and %d are both rank %d in the same direction, so their messages "
                        "cannot be distinguished",
                        plan->rank, k, n, one->rank);
    }
  }
  return LEADLINE_SEGMENTS_OK;
}

int check_local(leadline_segments* plan) {
  if (plan->error == LEADLINE_SEGMENTS_OK && plan->n_fields == 0) {
    keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN, "rank %d: the plan has no fields", plan->rank);
  }
  if (plan->error == LEADLINE_SEGMENTS_OK) check_directions(plan);
  if (plan->error == LEADLINE_SEGMENTS_OK) check_memory(plan);
  if (plan->error == LEADLINE_SEGMENTS_OK) check_overlaps(plan);
  return plan->error;
}

#ifdef __linux__
static bool is_mapped(const char* at) {
  unsigned char state;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  return mincore((void*)((uintptr_t)at / page * page), 1, &state) == 0 || errno != ENOMEM;
}
#else
static bool is_mapped(const char* at) { return at != NULL; }
#endif

static bool all_mapped(const Layout* layout) {
  for (int n = 0; n < layout->n_runs; ++n) {
    const Run* run = &layout->runs[n];
    const char* last = run->at + (ptrdiff_t)(run->count - 1) * run->stride;
    if (!is_mapped(run->at) || !is_mapped(last + run->bytes - 1)) return false;
  }
  return true;
}

/* The ends of every run must be memory. A freed field may still be mapped: only memory returned to the system is
 * noticed. */
int check_memory(leadline_segments* plan) {
  for (int field = 0; field < plan->n_fields; ++field) {
    for (int neighbour = 0; neighbour < plan->n_neighbours; ++neighbour) {
      const Face* face = face_of(plan, field, neighbour);
      if (all_mapped(&face->send) && all_mapped(&face->receive)) continue;
      return keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN,
                        "rank %d: field %s, neighbour %d (rank %d): its face is not mapped memory (field freed?)",
                        plan->rank, plan->fields[field].name, neighbour, plan->neighbours[neighbour].rank);
    }
  }
  return LEADLINE_SEGMENTS_OK;
}

/* --- What neighbours tell one another ----------------------------------------------------------------------------- */

/* What a rank sends to a neighbour about that neighbour, in numbers of 64 bits; three more for each field. */
enum { OUTGOING, INCOMING, FIELDS, SEGMENTATION, HEADER };
enum { NAME, SENT, RECEIVED, PER_FIELD };

static int64_t hash(const void* data, size_t bytes) {
  const unsigned char* at = data;
  uint64_t value = 14695981039346656037u;
  for (size_t n = 0; n < bytes; ++n) value = (value ^ at[n]) * 1099511628211u;
  return (int64_t)value;
}

static int64_t* describe(const leadline_segments* plan, int neighbour, int64_t segmentation, size_t* length) {
  *length = HEADER + (size_t)PER_FIELD * plan->n_fields;
  int64_t* told = calloc(*length, sizeof *told);
  if (told == NULL) return NULL;
  told[OUTGOING] = plan->neighbours[neighbour].outgoing;
  told[INCOMING] = plan->neighbours[neighbour].incoming;
  told[FIELDS] = plan->n_fields;
  told[SEGMENTATION] = segmentation;
  for (int field = 0; field < plan->n_fields; ++field) {
    const Face* face = face_of(plan, field, neighbour);
    int64_t* of_field = told + HEADER + (size_t)field * PER_FIELD;
    of_field[NAME] = hash(plan->fields[field].name, strlen(plan->fields[field].name));
    of_field[SENT] = (int64_t)face->send.bytes;
    of_field[RECEIVED] = (int64_t)face->receive.bytes;
  }
  return told;
}

static void compare(leadline_segments* plan, int neighbour, const int64_t* told, int64_t segmentation) {
  const int other = plan->neighbours[neighbour].rank;
  if (told[FIELDS] != plan->n_fields) {
    keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN,
               "rank %d: neighbour %d (rank %d) has %d fields, here %d; first without a counterpart: %s", plan->rank,
               neighbour, other, (int)told[FIELDS], plan->n_fields,
               told[FIELDS] < plan->n_fields ? plan->fields[told[FIELDS]].name : "(the one after the last)");
    return;
  }
  if (told[SEGMENTATION] != segmentation) {
    keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN,
               "rank %d: neighbour %d (rank %d) divides fields %s to %s into different segments", plan->rank, neighbour,
               other, plan->fields[0].name, plan->fields[plan->n_fields - 1].name);
    return;
  }
  for (int field = 0; field < plan->n_fields; ++field) {
    const Face* face = face_of(plan, field, neighbour);
    const int64_t* of_field = told + HEADER + (size_t)field * PER_FIELD;
    const char* name = plan->fields[field].name;
    if (of_field[NAME] != hash(name, strlen(name))) {
      keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN,
                 "rank %d: field %s (number %d) has another name on neighbour %d (rank %d)", plan->rank, name, field,
                 neighbour, other);
    } else if (of_field[SENT] != (int64_t)face->receive.bytes) {
      keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN,
                 "rank %d, field %s: receives %zu bytes from neighbour %d (rank %d), which sends %lld", plan->rank,
                 name, face->receive.bytes, neighbour, other, (long long)of_field[SENT]);
    } else if (of_field[RECEIVED] != (int64_t)face->send.bytes) {
      keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN,
                 "rank %d, field %s: sends %zu bytes to neighbour %d (rank %d), which receives %lld", plan->rank, name,
                 face->send.bytes, neighbour, other, (long long)of_field[RECEIVED]);
    }
  }
}

/* Takes in one neighbour's description. `seen`: of my neighbours, those that have described themselves. */
static void take(leadline_segments* plan, int source, const int64_t* told, int64_t segmentation, bool* seen) {
  for (int n = 0; n < plan->n_neighbours; ++n) {
    const Neighbour* mine = &plan->neighbours[n];
    if (mine->rank != source || mine->outgoing != told[INCOMING] || mine->incoming != told[OUTGOING]) continue;
    seen[n] = true;
    compare(plan, n, told, segmentation);
    return;
  }
  keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN,
             "rank %d: rank %d has it as a neighbour (direction %d out, %d in), but not vice versa: fields from %s on "
             "would never be received",
             plan->rank, source, (int)told[OUTGOING], (int)told[INCOMING], plan->fields[0].name);
}

typedef struct {
  int source;
  int order; /* of arrival: those of one rank arrive as it sent them */
  int64_t* told;
} Description;

/* By rank, not by arrival: with several errors, the same one is reported in every run. */
static int by_source(const void* a, const void* b) {
  const Description *one = a, *other = b;
  if (one->source != other->source) return one->source < other->source ? -1 : 1;
  return one->order < other->order ? -1 : 1;
}

static void hear(const leadline_segments* plan, int order, Description* heard) {
  MPI_Status status;
  int length;
  MPI_Probe(MPI_ANY_SOURCE, 0, plan->comm, &status);
  MPI_Get_count(&status, MPI_INT64_T, &length);
  *heard = (Description){status.MPI_SOURCE, order, malloc((size_t)length * sizeof(int64_t))};
  if (heard->told == NULL) abort();
  MPI_Recv(heard->told, length, MPI_INT64_T, status.MPI_SOURCE, 0, plan->comm, MPI_STATUS_IGNORE);
}

int check_neighbours(leadline_segments* plan, const Form* shape) {
  const int64_t segmentation =
      shape == NULL ? 0 : hash(shape->first, ((size_t)shape->segments + 1) * sizeof *shape->first);
  int* named = calloc((size_t)plan->ranks, sizeof *named);
  bool* seen = calloc((size_t)plan->n_neighbours + 1, sizeof *seen);
  int64_t** told = calloc((size_t)plan->n_neighbours + 1, sizeof *told);
  MPI_Request* requests = malloc(((size_t)plan->n_neighbours + 1) * sizeof *requests);
  if (named == NULL || seen == NULL || told == NULL || requests == NULL)
    abort(); /* a few bytes, for which others wait */
  for (int n = 0; n < plan->n_neighbours; ++n) {
    requests[n] = MPI_REQUEST_NULL;
    if (plan->neighbours[n].rank != MPI_PROC_NULL) ++named[plan->neighbours[n].rank];
  }
  int expected = 0;
  MPI_Reduce_scatter_block(named, &expected, 1, MPI_INT, MPI_SUM, plan->comm);
  for (int n = 0; n < plan->n_neighbours; ++n) {
    if (plan->neighbours[n].rank == MPI_PROC_NULL) continue;
    size_t length;
    told[n] = describe(plan, n, segmentation, &length);
    if (told[n] == NULL) abort();
    MPI_Isend(told[n], (int)length, MPI_INT64_T, plan->neighbours[n].rank, 0, plan->comm, &requests[n]);
  }
  Description* heard = calloc((size_t)expected + 1, sizeof *heard);
  if (heard == NULL) abort();
  for (int n = 0; n < expected; ++n) hear(plan, n, &heard[n]);
  MPI_Waitall(plan->n_neighbours, requests, MPI_STATUSES_IGNORE);
  qsort(heard, (size_t)expected, sizeof *heard, by_source);
  for (int n = 0; n < expected; ++n) {
    take(plan, heard[n].source, heard[n].told, segmentation, seen);
    free(heard[n].told);
  }
  free(heard);
  for (int n = 0; n < plan->n_neighbours; ++n) {
    free(told[n]);
    if (seen[n] || plan->neighbours[n].rank == MPI_PROC_NULL) continue;
    keep_first(
        plan, LEADLINE_SEGMENTS_WRONG_PLAN,
        "rank %d: neighbour %d (rank %d, direction %d out, %d in) has no counterpart: field %s would wait forever",
        plan->rank, n, plan->neighbours[n].rank, plan->neighbours[n].outgoing, plan->neighbours[n].incoming,
        plan->fields[0].name);
  }
  free(told);
  free(requests);
  free(named);
  free(seen);
  return plan->error;
}

/* The error of the lowest rank that has one becomes everyone's. */
int agree(leadline_segments* plan, int error) {
  int mine = error == LEADLINE_SEGMENTS_OK ? INT_MAX : plan->rank;
  int lowest;
  MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, plan->comm);
  if (lowest == INT_MAX) return LEADLINE_SEGMENTS_OK;
  MPI_Bcast(&error, 1, MPI_INT, lowest, plan->comm);
  MPI_Bcast(plan->message, MESSAGE_LENGTH, MPI_CHAR, lowest, plan->comm);
  plan->broken = true;
  return error;
}
