/* A collection before it is carried out: fields, parts, places, and the collective check. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collection.h"

leadline_collection* leadline_collection_create(MPI_Comm comm, int direction, int root) {
  leadline_collection* c = calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  c->plan = leadline_segments_create(comm);
  if (c->plan == NULL) {
    free(c);
    return NULL;
  }
  c->direction = direction;
  c->root = root;
  const int ranks = c->plan->ranks;
  if (root < 0 || root >= ranks || (direction != LEADLINE_TO_ROOT && direction != LEADLINE_FROM_ROOT)) {
    keep_first(c->plan, LEADLINE_SEGMENTS_WRONG_PLAN,
               "rank %d: invalid root %d or direction %d (%d ranks, 2 directions)", c->plan->rank, root, direction,
               ranks);
    c->root = 0;
  }
  const int neighbours = is_root(c) ? ranks : 1;
  for (int n = 0; n < neighbours; ++n) leadline_segments_neighbour(c->plan, is_root(c) ? n : c->root, 0, 0);
  return c;
}

static int too_late(leadline_collection* c, const char* what) {
  if (!c->plan->committed) return LEADLINE_SEGMENTS_OK;
  return fail(c->plan, LEADLINE_SEGMENTS_MISUSE, "rank %d: %s after the collection was committed", c->plan->rank, what);
}

static int take_element(leadline_collection* c, int field, size_t element_bytes) {
  Carried* carried = &c->carried[field];
  if (carried->element_bytes == 0) carried->element_bytes = element_bytes;
  if (element_bytes > 0 && carried->element_bytes == element_bytes) return LEADLINE_SEGMENTS_OK;
  return keep_first(c->plan, LEADLINE_SEGMENTS_WRONG_PLAN,
                    "rank %d: field %s has elements of different sizes (%zu and %zu bytes)", c->plan->rank,
                    c->plan->fields[field].name, carried->element_bytes, element_bytes);
}

static int take_face(leadline_collection* c, int field, int rank, Layout* layout, const leadline_face* face) {
  if (take_element(c, field, face->element_bytes) != LEADLINE_SEGMENTS_OK) return c->plan->error;
  if (layout->bytes > 0) {
    return keep_first(c->plan, LEADLINE_SEGMENTS_WRONG_PLAN, "rank %d: field %s has two buffers for rank %d",
                      c->plan->rank, c->plan->fields[field].name, rank);
  }
  if (layout_from_face(layout, face)) return LEADLINE_SEGMENTS_OK;
  return keep_first(c->plan, LEADLINE_SEGMENTS_WRONG_PLAN,
                    "rank %d: field %s, neighbour %d (rank %d): the part of rank %d has a null address or an "
                    "unreadable datatype",
                    c->plan->rank, c->plan->fields[field].name, is_root(c) ? rank : 0, is_root(c) ? rank : c->root,
                    rank);
}

int leadline_collection_field(leadline_collection* c, const char* name, const leadline_face* part) {
  if (too_late(c, "a field is added")) return NO_NUMBER;
  const int field = leadline_segments_field(c->plan, name);
  if (field < 0) return NO_NUMBER;
  Carried* larger = realloc(c->carried, ((size_t)field + 1) * sizeof *larger);
  if (larger == NULL) {
    keep_first(c->plan, LEADLINE_SEGMENTS_NO_MEMORY, "rank %d: out of memory (plan)", c->plan->rank);
    return NO_NUMBER;
  }
  c->carried = larger;
  c->carried[field] = (Carried){0, NULL, NULL};
  if (part == NULL) return field;
  return take_face(c, field, c->plan->rank, part_of(c, field), part) == LEADLINE_SEGMENTS_OK ? field : NO_NUMBER;
}

static int check_on_root(leadline_collection* c, int field, const char* what) {
  const int error = too_late(c, what);
  if (error != LEADLINE_SEGMENTS_OK) return error;
  if (c->plan->error != LEADLINE_SEGMENTS_OK) return c->plan->error;
  if (field < 0 || field >= c->plan->n_fields) {
    return keep_first(c->plan, LEADLINE_SEGMENTS_WRONG_PLAN,
                      "rank %d: %s for field %d, but the collection has %d fields", c->plan->rank, what, field,
                      c->plan->n_fields);
  }
  if (is_root(c)) return LEADLINE_SEGMENTS_OK;
  return keep_first(c->plan, LEADLINE_SEGMENTS_WRONG_PLAN,
                    "rank %d: %s for field %s, which only the root (rank %d) may do", c->plan->rank, what,
                    c->plan->fields[field].name, c->root);
}

int leadline_collection_place(leadline_collection* c, int field, int rank, const leadline_face* place) {
  const int error = check_on_root(c, field, "a buffer is given");
  if (error != LEADLINE_SEGMENTS_OK || place == NULL) return error;
  if (rank < 0 || rank >= c->plan->ranks || c->carried[field].handler != NULL) {
    return keep_first(c->plan, LEADLINE_SEGMENTS_WRONG_PLAN,
                      c->carried[field].handler != NULL
                          ? "rank %d: field %s has both a handler and a buffer for rank %d"
                          : "rank %d: field %s has a buffer for rank %d, which does not exist",
                      c->plan->rank, c->plan->fields[field].name, rank);
  }
  return take_face(c, field, rank, place_of(c, field, rank), place);
}

int leadline_collection_handle(leadline_collection* c, int field, leadline_piece_handler handler, void* context) {
  const int error = check_on_root(c, field, "a handler is given");
  if (error != LEADLINE_SEGMENTS_OK) return error;
  for (int rank = 0; rank < c->plan->ranks; ++rank) {
    if (place_of(c, field, rank)->bytes == 0 && handler != NULL) continue;
    return keep_first(c->plan, LEADLINE_SEGMENTS_WRONG_PLAN,
                      "rank %d: field %s has both a buffer for rank %d and a handler", c->plan->rank,
                      c->plan->fields[field].name, rank);
  }
  c->carried[field].handler = handler;
  c->carried[field].context = context;
  return LEADLINE_SEGMENTS_OK;
}

/* --- The commit --------------------------------------------------------------------------------------------------- */

/* Before sizes can be compared at all: the same root, direction and number of fields as rank 0 has. */
static int check_frame(leadline_collection* c) {
  leadline_segments* plan = c->plan;
  const int mine[3] = {c->root, c->direction, plan->n_fields};
  int first[3] = {mine[0], mine[1], mine[2]};
  MPI_Bcast(first, 3, MPI_INT, 0, plan->comm);
  const char* name = plan->fields[plan->n_fields - 1].name;
  if (first[0] != mine[0]) {
    keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN,
               "rank %d: the root is rank %d here, but %d on rank 0 (collection that ends with field %s)", plan->rank,
               mine[0], first[0], name);
  } else if (first[1] != mine[1]) {
    keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN,
               "rank %d: the collection goes %s the root (rank %d) here, but not on rank 0 (it ends with field %s)",
               plan->rank, mine[1] == LEADLINE_TO_ROOT ? "to" : "from", c->root, name);
  } else if (first[2] != mine[2]) {
    keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN,
               "rank %d: the collection has %d fields here (the last is %s), but %d on rank 0", plan->rank, mine[2],
               name, first[2]);
  }
  return agree(plan, plan->error);
}

enum { BYTES, ELEMENT, TOLD };

static void take_told(leadline_collection* c, int field, int rank, const int64_t* told) {
  leadline_segments* plan = c->plan;
  Carried* carried = &c->carried[field];
  const size_t element = (size_t)told[ELEMENT];
  if (carried->handler != NULL) place_of(c, field, rank)->bytes = (size_t)told[BYTES];
  if (carried->element_bytes == 0) carried->element_bytes = element;
  if (element == 0 || element == carried->element_bytes) return;
  keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN,
             "rank %d: field %s has elements of %zu bytes on neighbour %d (rank %d), but of %zu on lower ranks or here",
             plan->rank, plan->fields[field].name, element, rank, rank, carried->element_bytes);
}

/* Handlers take what there is, so the root learns how much; and all get the length of elements, where parts are cut. */
static void tell_root(leadline_collection* c) {
  leadline_segments* plan = c->plan;
  const size_t fields = (size_t)plan->n_fields;
  int64_t* mine = malloc(fields * TOLD * sizeof *mine);
  int64_t* all = is_root(c) ? malloc((size_t)plan->ranks * fields * TOLD * sizeof *all) : NULL;
  if (mine == NULL || (is_root(c) && all == NULL)) abort(); /* less than the plan has already: others wait */
  for (int field = 0; field < plan->n_fields; ++field) {
    mine[field * TOLD + BYTES] = (int64_t)part_of(c, field)->bytes;
    mine[field * TOLD + ELEMENT] = (int64_t)c->carried[field].element_bytes;
  }
  const int words = plan->n_fields * TOLD;
  MPI_Gather(mine, words, MPI_INT64_T, all, words, MPI_INT64_T, c->root, plan->comm);
  for (int field = 0; field < plan->n_fields && is_root(c); ++field) {
    for (int rank = 0; rank < plan->ranks; ++rank) {
      take_told(c, field, rank, all + ((size_t)rank * fields + (size_t)field) * TOLD);
    }
    mine[field] = (int64_t)c->carried[field].element_bytes;
  }
  MPI_Bcast(mine, plan->n_fields, MPI_INT64_T, c->root, plan->comm);
  for (int field = 0; field < plan->n_fields; ++field) c->carried[field].element_bytes = (size_t)mine[field];
  free(mine);
  free(all);
}

/* Every rank gets the root's segments, and works out what it does in each. */
static void prepare(leadline_collection* c) {
  leadline_segments* plan = c->plan;
  int told[2] = {c->n_segments, c->slots};
  MPI_Bcast(told, 2, MPI_INT, c->root, plan->comm);
  c->n_segments = told[0];
  c->slots = told[1];
  if (!is_root(c)) c->segments = malloc(((size_t)c->n_segments + 1) * sizeof *c->segments);
  if (c->segments == NULL && c->n_segments > 0) abort(); /* a few bytes: others wait */
  MPI_Bcast(c->segments, c->n_segments * (int)(sizeof *c->segments / sizeof(int)), MPI_INT, c->root, plan->comm);
  if (c->slots > c->n_segments) c->slots = c->n_segments > 0 ? c->n_segments : 1;
  if (work_out_moves(c)) return;
  keep_first(plan, LEADLINE_SEGMENTS_NO_MEMORY,
             "rank %d: out of memory (%zu bytes; collection that begins with field %s)", plan->rank, c->buffer_bytes,
             plan->fields[0].name);
}

int leadline_collection_commit(leadline_collection* c, size_t limit_bytes) {
  if (c == NULL) return LEADLINE_SEGMENTS_NO_MEMORY;
  leadline_segments* plan = c->plan;
  if (plan->committed)
    return fail(plan, LEADLINE_SEGMENTS_MISUSE, "rank %d: the collection was committed twice", plan->rank);
  if (plan->broken) return LEADLINE_SEGMENTS_WRONG_PLAN;
  int error = roll_call(plan);
  if (error != LEADLINE_SEGMENTS_OK) return error;
  int all, mine = getenv("LEADLINE_SEGMENTS_CHECK") != NULL; /* collective, so all or none */
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, plan->comm);
  plan->checks_always = all;
  error = agree(plan, check_local(plan));
  if (error == LEADLINE_SEGMENTS_OK) error = check_frame(c);
  if (error != LEADLINE_SEGMENTS_OK) return error;
  tell_root(c);
  check_neighbours(plan, NULL);
  if (is_root(c) && plan->error == LEADLINE_SEGMENTS_OK) divide(c, limit_bytes);
  error = agree(plan, plan->error);
  if (error != LEADLINE_SEGMENTS_OK) return error;
  prepare(c);
  error = agree(plan, plan->error);
  plan->committed = error == LEADLINE_SEGMENTS_OK;
  return error;
}

int leadline_collection_in_use(const leadline_collection* c, size_t* buffer_bytes) {
  if (buffer_bytes != NULL) *buffer_bytes = c->buffer_bytes;
  return c->n_segments;
}

const char* leadline_collection_message(const leadline_collection* c) {
  return leadline_segments_message(c == NULL ? NULL : c->plan);
}

void leadline_collection_free(leadline_collection** given) {
  leadline_collection* c = *given;
  *given = NULL;
  if (c == NULL) return;
  leadline_segments_free(&c->plan);
  free(c->carried);
  free(c->segments);
  free(c->buffer);
  free(c->transfers);
  free(c->moves);
  free(c->moves_until);
  free(c->requests);
  free(c->next);
  free(c);
}
