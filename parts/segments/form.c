/* One segmentation carried out in one way: its messages. */
#include <stdlib.h>

#include "message_sizes.h"
#include "plan.h"

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
static char* only_piece(const leadline_segments* plan, const Message* message, int neighbour, bool outgoing,
                        size_t* pieces) {
  char *begin = NULL, *end = NULL;
  bool one = true;
  *pieces = 0;
  for (int field = message->field; field < message->end_field; ++field) {
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
static bool describe(const leadline_segments* plan, Message* message, int neighbour, bool outgoing) {
  int runs = 0;
  for (int field = message->field; field < message->end_field; ++field) {
    runs += layout_of(plan, field, neighbour, outgoing)->n_runs;
  }
  int* lengths = calloc((size_t)runs, sizeof *lengths);
  MPI_Aint* places = calloc((size_t)runs, sizeof *places);
  MPI_Datatype* types = calloc((size_t)runs, sizeof *types);
  bool fine = lengths != NULL && places != NULL && types != NULL;
  bool all_single = true;
  int used = 0;
  for (int field = message->field; fine && field < message->end_field; ++field) {
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
    MPI_Type_create_hindexed(runs, lengths, places, MPI_BYTE, &message->type);
  } else if (fine) {
    used = 0;
    for (int field = message->field; field < message->end_field; ++field) {
      const Layout* layout = layout_of(plan, field, neighbour, outgoing);
      for (int n = 0; n < layout->n_runs; ++n, ++used) {
        const Run* run = &layout->runs[n];
        lengths[used] = 1;
        MPI_Type_create_hvector((int)run->count, (int)run->bytes, run->stride, MPI_BYTE, &types[used]);
      }
    }
    MPI_Type_create_struct(runs, lengths, places, types, &message->type);
    for (int n = 0; n < runs; ++n) MPI_Type_free(&types[n]);
  }
  if (fine) MPI_Type_commit(&message->type);
  free(lengths);
  free(places);
  free(types);
  return fine;
}

static bool make_message(const leadline_segments* plan, const Form* form, Message* message, int neighbour,
                         bool outgoing) {
  message->type = MPI_BYTE;
  message->persistent = form->persistent && (plan->wanted_persistent > 0 || message->bytes >= PERSISTENT);
  size_t pieces;
  message->count = (int)message->bytes;
  message->address = only_piece(plan, message, neighbour, outgoing, &pieces);
  if (message->address != NULL) return true;
  const size_t piece = message->bytes / pieces;
  const bool by_size = (piece >= DESCRIBED && message->bytes > IN_MESSAGES) || message->bytes >= ALL;
  if (form->method == LEADLINE_SEGMENTS_DATATYPE || (form->method == LEADLINE_SEGMENTS_BY_SIZE && by_size)) {
    message->address = MPI_BOTTOM;
    message->count = 1;
    message->own_type = describe(plan, message, neighbour, outgoing);
    return message->own_type;
  }
  message->buffer = message->address = malloc(message->bytes);
  bool fine = message->buffer != NULL;
  for (int field = message->field; fine && field < message->end_field; ++field) {
    fine = layout_append(&message->pieces, layout_of(plan, field, neighbour, outgoing));
  }
  return fine;
}

static bool is_alone(const Form* form, size_t bytes) {
  return form->method == LEADLINE_SEGMENTS_BY_SIZE && bytes >= LEADLINE_SEGMENTS_ALONE_BYTES;
}

/* What a message of the segment should have. Messages of about equal size: a short one after a long one was slower than
 * both together. */
static size_t bytes_aimed_at(const leadline_segments* plan, const Form* form, int segment, int neighbour,
                             bool outgoing) {
  size_t together = 0, longest = 0;
  for (int field = form->first[segment]; field < form->first[segment + 1]; ++field) {
    const size_t bytes = layout_of(plan, field, neighbour, outgoing)->bytes;
    if (is_alone(form, bytes)) continue;
    together += bytes;
    if (bytes > longest) longest = bytes;
  }
  if (form->method != LEADLINE_SEGMENTS_BY_SIZE || together == 0) return together;
  const bool small = together <= SMALL && longest <= EAGER / 2;
  const size_t most = small ? EAGER : LEADLINE_SEGMENTS_FULL_BYTES;
  const size_t messages = (together + most - 1) / most;
  return (together + messages - 1) / messages;
}

/* True where the next face begins a message of its own. Both ends know a face's bytes, so both divide a segment alike;
 * the messages of a segment, which have one tag, come in their order. */
static bool is_full(const Form* form, const Message* message, size_t next_bytes, size_t aimed_at) {
  if (form->method != LEADLINE_SEGMENTS_BY_SIZE) return false;
  const bool alone = message->end_field == message->field + 1 && is_alone(form, message->bytes);
  return alone || is_alone(form, next_bytes) || message->bytes + next_bytes / 2 > aimed_at;
}

/* Messages of one direction between the same ranks are told apart by their segment. */
static int tag(const leadline_segments* plan, int segment, int direction) {
  return segment * plan->directions + direction;
}

/* The segment's messages to or from a neighbour; returns the number of messages until then. */
static int divide_segment(const leadline_segments* plan, const Form* form, int segment, int neighbour, bool outgoing,
                          Traffic* traffic, int messages) {
  const Neighbour* other = &plan->neighbours[neighbour];
  const size_t aimed_at = bytes_aimed_at(plan, form, segment, neighbour, outgoing);
  Message* message = NULL;
  for (int field = form->first[segment]; field < form->first[segment + 1]; ++field) {
    const size_t bytes = layout_of(plan, field, neighbour, outgoing)->bytes;
    if (bytes == 0) continue;
    if (message == NULL || is_full(form, message, bytes, aimed_at)) {
      message = &traffic->messages[messages++];
      *message = (Message){.field = field, .rank = other->rank};
      message->tag = tag(plan, segment, outgoing ? other->outgoing : other->incoming);
    }
    traffic->message[field * plan->n_neighbours + neighbour] = messages - 1;
    traffic->place[field * plan->n_neighbours + neighbour] = message->bytes;
    message->bytes += bytes;
    message->end_field = field + 1;
  }
  return messages;
}

static void make_request(const leadline_segments* plan, const Message* message, bool outgoing, MPI_Request* request) {
  if (outgoing) {
    MPI_Send_init(message->address, message->count, message->type, message->rank, message->tag, plan->comm, request);
  } else {
    MPI_Recv_init(message->address, message->count, message->type, message->rank, message->tag, plan->comm, request);
  }
}

static bool prepare_traffic(const leadline_segments* plan, Form* form, Traffic* traffic, bool outgoing) {
  const size_t faces = (size_t)plan->n_fields * plan->n_neighbours + 1;
  traffic->messages = calloc(faces, sizeof *traffic->messages);
  traffic->requests = calloc(faces, sizeof *traffic->requests);
  traffic->first = calloc((size_t)form->segments * plan->n_neighbours + 1, sizeof *traffic->first);
  traffic->message = calloc(faces, sizeof *traffic->message);
  traffic->place = calloc(faces, sizeof *traffic->place);
  if (traffic->messages == NULL || traffic->requests == NULL || traffic->first == NULL || traffic->message == NULL ||
      traffic->place == NULL) {
    return false;
  }
  int messages = 0;
  for (int segment = 0; segment < form->segments; ++segment) {
    for (int neighbour = 0; neighbour < plan->n_neighbours; ++neighbour) {
      const int n = segment * plan->n_neighbours + neighbour;
      messages = divide_segment(plan, form, segment, neighbour, outgoing, traffic, messages);
      traffic->first[n + 1] = messages;
      for (int m = traffic->first[n]; m < messages; ++m) {
        Message* message = &traffic->messages[m];
        traffic->requests[m] = MPI_REQUEST_NULL;
        if (!make_message(plan, form, message, neighbour, outgoing)) return false;
        form->in_turn = form->in_turn || message->bytes >= LEADLINE_SEGMENTS_IN_TURN_BYTES;
        if (message->persistent) make_request(plan, message, outgoing, &traffic->requests[m]);
      }
    }
  }
  return true;
}

bool form_prepare(const leadline_segments* plan, Form* form) {
  if (form->prepared) return true;
  form->prepared = true;
  return prepare_traffic(plan, form, &form->incoming, false) && prepare_traffic(plan, form, &form->outgoing, true);
}

static void free_traffic(Traffic* traffic, int pairs) {
  const int messages = traffic->first != NULL ? traffic->first[pairs] : 0;
  for (int n = 0; n < messages; ++n) {
    Message* message = &traffic->messages[n];
    free(message->buffer);
    layout_free(&message->pieces);
    if (message->own_type) MPI_Type_free(&message->type);
    if (traffic->requests[n] != MPI_REQUEST_NULL) MPI_Request_free(&traffic->requests[n]);
  }
  free(traffic->messages);
  free(traffic->requests);
  free(traffic->first);
  free(traffic->message);
  free(traffic->place);
}

void form_free(const leadline_segments* plan, Form* form) {
  if (form == NULL) return;
  free_traffic(&form->outgoing, form->segments * plan->n_neighbours);
  free_traffic(&form->incoming, form->segments * plan->n_neighbours);
  free(form->first);
  free(form);
}
