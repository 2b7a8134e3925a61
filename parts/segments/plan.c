/* A plan before its commit: neighbours, fields, faces. */
#include "leadline_segments.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

static int note(leadline_segments* plan, int error, const char* format, va_list arguments) {
  vsnprintf(plan->message, sizeof plan->message, format, arguments);
  return error;
}

int fail(leadline_segments* plan, int error, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  note(plan, error, format, arguments);
  va_end(arguments);
  return error;
}

int keep_first(leadline_segments* plan, int error, const char* format, ...) {
  if (plan->error != LEADLINE_SEGMENTS_OK) return plan->error;
  va_list arguments;
  va_start(arguments, format);
  plan->error = note(plan, error, format, arguments);
  va_end(arguments);
  return error;
}

static int too_late(leadline_segments* plan, const char* call) {
  if (!plan->committed) return LEADLINE_SEGMENTS_OK;
  return fail(plan, LEADLINE_SEGMENTS_MISUSE, "rank %d: %s after the plan was committed", plan->rank, call);
}

leadline_segments* leadline_segments_create(MPI_Comm comm) {
  leadline_segments* plan = calloc(1, sizeof *plan);
  if (plan == NULL) return NULL;
  plan->given_comm = comm;
  plan->comm = MPI_COMM_NULL;
  plan->wanted_persistent = -1;
  MPI_Comm_rank(comm, &plan->rank);
  MPI_Comm_size(comm, &plan->ranks);
  return plan;
}

static int out_of_memory(leadline_segments* plan) {
  keep_first(plan, LEADLINE_SEGMENTS_NO_MEMORY, "rank %d: out of memory (plan)", plan->rank);
  return NO_NUMBER;
}

/* Makes room for one element more at the end of an array that grows by doubling. */
static bool grow(void** array, int used, size_t element) {
  if ((used & (used - 1)) != 0) return true;
  void* larger = realloc(*array, (used == 0 ? 1 : 2 * (size_t)used) * element);
  if (larger == NULL) return false;
  *array = larger;
  return true;
}

/* The faces are a table of fields and neighbours, which come in any order. */
static bool widen(leadline_segments* plan) {
  if (plan->n_fields <= plan->faces_high && plan->n_neighbours <= plan->faces_wide) return true;
  int high = plan->faces_high, wide = plan->faces_wide;
  while (high < plan->n_fields) high = high == 0 ? 8 : 2 * high;
  while (wide < plan->n_neighbours) wide = wide == 0 ? 4 : 2 * wide;
  Face* faces = calloc((size_t)high * (size_t)(wide == 0 ? 1 : wide), sizeof *faces);
  if (faces == NULL) return false;
  for (int field = 0; field < plan->faces_high && plan->faces_wide > 0; ++field) {
    memcpy(&faces[(size_t)field * wide], &plan->faces[(size_t)field * plan->faces_wide],
           (size_t)plan->faces_wide * sizeof *faces);
  }
  free(plan->faces);
  plan->faces = faces;
  plan->faces_high = high;
  plan->faces_wide = wide;
  return true;
}

int leadline_segments_neighbour(leadline_segments* plan, int rank, int outgoing, int incoming) {
  if (too_late(plan, "a neighbour is added")) return NO_NUMBER;
  if (rank != MPI_PROC_NULL && (rank < 0 || rank >= plan->ranks)) {
    keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN, "rank %d: neighbour %d is rank %d, but there are only %d ranks",
               plan->rank, plan->n_neighbours, rank, plan->ranks);
    return NO_NUMBER;
  }
  if (outgoing < 0 || incoming < 0 || outgoing > 1023 || incoming > 1023) {
    keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN,
               "rank %d: neighbour %d (rank %d): directions must be 0 to 1023, got %d and %d", plan->rank,
               plan->n_neighbours, rank, outgoing, incoming);
    return NO_NUMBER;
  }
  void* array = plan->neighbours;
  if (!grow(&array, plan->n_neighbours, sizeof *plan->neighbours)) return out_of_memory(plan);
  plan->neighbours = array;
  plan->neighbours[plan->n_neighbours++] = (Neighbour){rank, outgoing, incoming};
  if (!widen(plan)) return out_of_memory(plan);
  return plan->n_neighbours - 1;
}

int leadline_segments_field(leadline_segments* plan, const char* name) {
  if (too_late(plan, "a field is added")) return NO_NUMBER;
  void* array = plan->fields;
  if (!grow(&array, plan->n_fields, sizeof *plan->fields)) return out_of_memory(plan);
  plan->fields = array;
  snprintf(plan->fields[plan->n_fields++].name, NAME_LENGTH, "%s", name == NULL ? "" : name);
  if (!widen(plan)) return out_of_memory(plan);
  return plan->n_fields - 1;
}

static Face* new_face(leadline_segments* plan, int field, int neighbour) {
  if (plan->error != LEADLINE_SEGMENTS_OK || too_late(plan, "a face is added")) return NULL;
  if (field < 0 || field >= plan->n_fields || neighbour < 0 || neighbour >= plan->n_neighbours) {
    keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN,
               "rank %d: a face for field %d and neighbour %d, but the plan has %d fields and %d neighbours",
               plan->rank, field, neighbour, plan->n_fields, plan->n_neighbours);
    return NULL;
  }
  Face* face = face_of(plan, field, neighbour);
  if (face->given) {
    keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN, "rank %d: field %s has two faces for neighbour %d (rank %d)",
               plan->rank, plan->fields[field].name, neighbour, plan->neighbours[neighbour].rank);
    return NULL;
  }
  face->given = true;
  return face;
}

static int unreadable(leadline_segments* plan, int field, int neighbour, const char* which) {
  return keep_first(plan, LEADLINE_SEGMENTS_WRONG_PLAN,
                    "rank %d: field %s, neighbour %d (rank %d): what %s has a null address or an unreadable datatype",
                    plan->rank, plan->fields[field].name, neighbour, plan->neighbours[neighbour].rank, which);
}

int leadline_segments_face(leadline_segments* plan, int field, int neighbour, const leadline_face* send,
                           const leadline_face* receive) {
  Face* face = new_face(plan, field, neighbour);
  if (face == NULL) return plan->error ? plan->error : LEADLINE_SEGMENTS_MISUSE;
  if (plan->neighbours[neighbour].rank == MPI_PROC_NULL) return LEADLINE_SEGMENTS_OK;
  if (send != NULL && !layout_from_face(&face->send, send)) return unreadable(plan, field, neighbour, "is sent");
  if (receive != NULL && !layout_from_face(&face->receive, receive)) {
    return unreadable(plan, field, neighbour, "is received");
  }
  return LEADLINE_SEGMENTS_OK;
}

int leadline_segments_face_typed(leadline_segments* plan, int field, int neighbour, const void* send, int send_count,
                                 MPI_Datatype send_type, void* receive, int receive_count, MPI_Datatype receive_type) {
  Face* face = new_face(plan, field, neighbour);
  if (face == NULL) return plan->error ? plan->error : LEADLINE_SEGMENTS_MISUSE;
  if (plan->neighbours[neighbour].rank == MPI_PROC_NULL) return LEADLINE_SEGMENTS_OK;
  if (send_count > 0 && !layout_from_type(&face->send, (void*)(uintptr_t)send, send_count, send_type)) {
    return unreadable(plan, field, neighbour, "is sent");
  }
  if (receive_count > 0 && !layout_from_type(&face->receive, receive, receive_count, receive_type)) {
    return unreadable(plan, field, neighbour, "is received");
  }
  return LEADLINE_SEGMENTS_OK;
}

int leadline_segments_use(leadline_segments* plan, leadline_segments_method method, int persistent) {
  if (too_late(plan, "a method is chosen")) return LEADLINE_SEGMENTS_MISUSE;
  plan->wanted_method = method;
  plan->wanted_persistent = persistent;
  return LEADLINE_SEGMENTS_OK;
}

const char* leadline_segments_message(const leadline_segments* plan) {
  return plan == NULL ? "out of memory for the plan" : plan->message;
}

leadline_face leadline_face_of_array(void* array, size_t element_bytes, int dims, const int* sizes, int dim, int index,
                                     int thick) {
  leadline_face face = {array, element_bytes, dims, {0}, {0}};
  if (dims < 1 || dims > LEADLINE_SEGMENTS_MAX_DIMS || dim < 0 || dim >= dims) {
    face.first = NULL;
    return face;
  }
  ptrdiff_t stride = (ptrdiff_t)element_bytes;
  for (int d = dims - 1; d >= 0; --d) {
    face.count[d] = d == dim ? thick : sizes[d];
    face.stride_bytes[d] = stride;
    if (d == dim) face.first = (char*)array + index * stride;
    stride *= sizes[d];
  }
  if (index < 0 || thick < 1 || index + thick > sizes[dim]) face.first = NULL;
  return face;
}
