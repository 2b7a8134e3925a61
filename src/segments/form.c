/* One segmentation carried out in one way: its messages. */
#include <limits.h>
#include <stdlib.h>

#include "plan.h"

/* From here on a piece is worth describing to the library; below, its cost a piece is above that of copying it. */
enum { LONG_PIECE_BYTES = 256 };

/* Below, Open MPI sends at once what MPI_Isend gives it, and takes half as long again for MPI_Start. */
enum { PERSISTENT_BYTES = 512 };

Form* form_shape(int fields, int segments, const int* sizes, leadline_segments_method method, bool persistent) {
  Form* form = calloc(1, sizeof *form);
  if (form == NULL) return NULL;
  form->first = calloc((size_t)segments + 1, sizeof *form->first);
  if (form->first == NULL) {
    free(form);
    return NULL;
  }
  form->segments = segments;
  form->method = method;
  form->persistent = persistent;
  for (int s = 0; s < segments; ++s) {
    const int size = sizes != NULL ? sizes[s] : fields / segments + (s < fields % segments ? 1 : 0);
    form->first[s + 1] = form->first[s] + size;
  }
  return form;
}

static const Layout* layout_of(const leadline_segments* plan, int field, int neighbour, bool outgoing) {
  const Face* face = face_of(plan, field, neighbour);
  return outgoing ? &face->send : &face->receive;
}

/* The only piece of the message, if it is one; otherwise null. Also counts the pieces. */
static char* only_piece(const leadline_segments* plan, const Form* form, int segment, int neighbour, bool outgoing,
                        size_t* pieces) {
  char *begin = NULL, *end = NULL;
  bool one = true;
  *pieces = 0;
  for (int field = form->first[segment]; field < form->first[segment + 1]; ++field) {
    const Layout* layout = layout_of(plan, field, neighbour, outgoing);
    for (int n = 0; n < layout->n_runs; ++n) {
      const Run* run = &layout->runs[n];
      *pieces += run->count;
      one = one && run->count == 1 && (end == NULL || run->at == end);
      if (begin == NULL) begin = run->at;
      end = run->at + run->bytes;
    }
  }
  return one ? begin : NULL;
}

/* A datatype of all pieces, at absolute addresses. */
static bool describe(const leadline_segments* plan, const Form* form, int segment, int neighbour, bool outgoing,
                     MPI_Datatype* result) {
  int runs = 0;
  for (int field = form->first[segment]; field < form->first[segment + 1]; ++field) {
    runs += layout_of(plan, field, neighbour, outgoing)->n_runs;
  }
  int* lengths = calloc((size_t)runs, sizeof *lengths);
  MPI_Aint* places = calloc((size_t)runs, sizeof *places);
  MPI_Datatype* types = calloc((size_t)runs, sizeof *types);
  bool fine = lengths != NULL && places != NULL && types != NULL;
  bool all_single = true;
  int used = 0;
  for (int field = form->first[segment]; fine && field < form->first[segment + 1]; ++field) {
    const Layout* layout = layout_of(plan, field, neighbour, outgoing);
    for (int n = 0; n < layout->n_runs; ++n, ++used) {
      const Run* run = &layout->runs[n];
      MPI_Get_address(run->at, &places[used]);
      all_single = all_single && run->count == 1;
      lengths[used] = (int)run->bytes;
      types[used] = MPI_BYTE;
    }
  }
  if (fine && all_single) {
    MPI_Type_create_hindexed(runs, lengths, places, MPI_BYTE, result);
  } else if (fine) {
    used = 0;
    for (int field = form->first[segment]; field < form->first[segment + 1]; ++field) {
      const Layout* layout = layout_of(plan, field, neighbour, outgoing);
      for (int n = 0; n < layout->n_runs; ++n, ++used) {
        const Run* run = &layout->runs[n];
        lengths[used] = 1;
        MPI_Type_create_hvector((int)run->count, (int)run->bytes, run->stride, MPI_BYTE, &types[used]);
      }
    }
    MPI_Type_create_struct(runs, lengths, places, types, result);
    for (int n = 0; n < runs; ++n) MPI_Type_free(&types[n]);
  }
  if (fine) MPI_Type_commit(result);
  free(lengths);
  free(places);
  free(types);
  return fine;
}

static bool make_message(const leadline_segments* plan, Form* form, int segment, int neighbour, bool outgoing) {
  Message* message = &(outgoing ? form->outgoing : form->incoming)[segment * plan->n_neighbours + neighbour];
  size_t* offsets = outgoing ? form->sent_at : form->received_at;
  *message = (Message){.type = MPI_BYTE};
  for (int field = form->first[segment]; field < form->first[segment + 1]; ++field) {
    offsets[field * plan->n_neighbours + neighbour] = message->bytes;
    message->bytes += layout_of(plan, field, neighbour, outgoing)->bytes;
  }
  if (message->bytes == 0) return true;
  message->persistent = form->persistent && (plan->wanted_persistent > 0 || message->bytes >= PERSISTENT_BYTES);
  size_t pieces;
  message->count = (int)message->bytes;
  message->address = only_piece(plan, form, segment, neighbour, outgoing, &pieces);
  if (message->address != NULL) return true;
  const bool by_type = form->method == LEADLINE_SEGMENTS_DATATYPE ||
                       (form->method == LEADLINE_SEGMENTS_BY_SIZE && message->bytes / pieces >= LONG_PIECE_BYTES);
  if (by_type) {
    message->address = MPI_BOTTOM;
    message->count = 1;
    message->own_type = describe(plan, form, segment, neighbour, outgoing, &message->type);
    return message->own_type;
  }
  message->buffer = message->address = malloc(message->bytes);
  bool fine = message->buffer != NULL;
  for (int field = form->first[segment]; fine && field < form->first[segment + 1]; ++field) {
    fine = layout_append(&message->pieces, layout_of(plan, field, neighbour, outgoing));
  }
  return fine;
}

/* Messages of one direction between the same ranks are told apart by their segment. */
static int tag(const leadline_segments* plan, int segment, int direction) {
  return segment * plan->directions + direction;
}

static void make_requests(const leadline_segments* plan, Form* form, int segment, int neighbour) {
  const int n = segment * plan->n_neighbours + neighbour;
  const Neighbour* other = &plan->neighbours[neighbour];
  const Message *in = &form->incoming[n], *out = &form->outgoing[n];
  if (in->persistent) {
    MPI_Recv_init(in->address, in->count, in->type, other->rank, tag(plan, segment, other->incoming), plan->comm,
                  &form->receiving[n]);
  }
  if (out->persistent) {
    MPI_Send_init(out->address, out->count, out->type, other->rank, tag(plan, segment, other->outgoing), plan->comm,
                  &form->sending[n]);
  }
}

bool form_prepare(const leadline_segments* plan, Form* form) {
  if (form->outgoing != NULL) return true;
  const size_t messages = (size_t)form->segments * plan->n_neighbours + 1;
  const size_t faces = (size_t)plan->n_fields * plan->n_neighbours + 1;
  form->outgoing = calloc(messages, sizeof *form->outgoing);
  form->incoming = calloc(messages, sizeof *form->incoming);
  form->sending = calloc(messages, sizeof *form->sending);
  form->receiving = calloc(messages, sizeof *form->receiving);
  form->sent_at = calloc(faces, sizeof *form->sent_at);
  form->received_at = calloc(faces, sizeof *form->received_at);
  if (form->outgoing == NULL || form->incoming == NULL || form->sending == NULL || form->receiving == NULL ||
      form->sent_at == NULL || form->received_at == NULL) {
    return false;
  }
  for (size_t n = 0; n < messages; ++n) form->sending[n] = form->receiving[n] = MPI_REQUEST_NULL;
  for (int segment = 0; segment < form->segments; ++segment) {
    for (int neighbour = 0; neighbour < plan->n_neighbours; ++neighbour) {
      if (!make_message(plan, form, segment, neighbour, true) || !make_message(plan, form, segment, neighbour, false)) {
        return false;
      }
      make_requests(plan, form, segment, neighbour);
    }
  }
  return true;
}

static void free_message(Message* message) {
  free(message->buffer);
  layout_free(&message->pieces);
  if (message->own_type) MPI_Type_free(&message->type);
}

void form_free(const leadline_segments* plan, Form* form) {
  if (form == NULL) return;
  for (int n = 0; n < form->segments * plan->n_neighbours; ++n) {
    if (form->outgoing != NULL) free_message(&form->outgoing[n]);
    if (form->incoming != NULL) free_message(&form->incoming[n]);
    if (form->sending != NULL && form->sending[n] != MPI_REQUEST_NULL) MPI_Request_free(&form->sending[n]);
    if (form->receiving != NULL && form->receiving[n] != MPI_REQUEST_NULL) MPI_Request_free(&form->receiving[n]);
  }
  free(form->outgoing);
  free(form->incoming);
  free(form->sending);
  free(form->receiving);
  free(form->sent_at);
  free(form->received_at);
  free(form->first);
  free(form);
}
