/* A collection is carried out: of each segment one message between the root and every other rank. The buffer is divided
 * into slots, so that messages travel while the pieces of those before are copied or handled. */
#include <string.h>

#include "collection.h"

/* A short message may leave before its receive is posted, and the library keeps it then. So that this stays bounded, of
 * so many messages to the same rank one waits until it is received. */
enum { UNCHECKED = 4 };

static bool to_root(const leadline_collection* c) { return c->direction == LEADLINE_TO_ROOT; }

static char* slot_of(const leadline_collection* c, int n) {
  return c->buffer == NULL ? NULL : c->buffer + (size_t)(n % c->slots) * c->slot_bytes;
}

static MPI_Request* requests_of(const leadline_collection* c, int n) {
  return c->requests + (size_t)(n % c->slots) * (size_t)peers_of(c);
}

/* Starts the segment's messages; where `packed`, from the slot. */
static void start(const leadline_collection* c, int n, bool packed) {
  const int peers = peers_of(c);
  const Transfer* transfers = c->transfers + (size_t)n * (size_t)peers;
  MPI_Request* requests = requests_of(c, n);
  for (int peer = 0; peer < peers; ++peer) {
    const Transfer* transfer = &transfers[peer];
    if (transfer->bytes == 0) continue;
    char* at = transfer->there != NULL && !packed ? transfer->there : slot_of(c, n) + transfer->slot_at;
    const int rank = is_root(c) ? peer : c->root, bytes = (int)transfer->bytes;
    if (!is_sender(c)) {
      MPI_Irecv(at, bytes, MPI_BYTE, rank, 0, c->plan->comm, &requests[peer]);
    } else if (n % UNCHECKED == UNCHECKED - 1) {
      MPI_Issend(at, bytes, MPI_BYTE, rank, 0, c->plan->comm, &requests[peer]);
    } else {
      MPI_Isend(at, bytes, MPI_BYTE, rank, 0, c->plan->comm, &requests[peer]);
    }
  }
}

static void await(const leadline_collection* c, int n) {
  MPI_Waitall(peers_of(c), requests_of(c, n), MPI_STATUSES_IGNORE);
}

/* --- What is copied and handled ----------------------------------------------------------------------------------- */

static void pack_move(const Move* move, char* to) {
  if (move->there != NULL) {
    memcpy(to, move->there, move->bytes);
  } else {
    pack_range(to, move->layout, move->offset, move->offset + move->bytes);
  }
}

static void unpack_move(const Move* move, const char* from) {
  if (move->there != NULL) {
    memcpy(move->there, from, move->bytes);
  } else {
    unpack_range(move->layout, move->offset, move->offset + move->bytes, from);
  }
}

/* From the root's part to its place or back, without a copy in between where either is one piece. */
static void move_own(const leadline_collection* c, const Move* move, char* scratch) {
  const Layout* place = place_of(c, move->field, c->root);
  const Layout* from = to_root(c) ? move->layout : place;
  const Layout* to = to_root(c) ? place : move->layout;
  const size_t begin = move->offset, end = begin + move->bytes;
  char *source = place_in_one_piece(from), *target = place_in_one_piece(to);
  if (source != NULL) {
    unpack_range(to, begin, end, source + begin);
  } else if (target != NULL) {
    pack_range(target + begin, from, begin, end);
  } else {
    pack_range(scratch, from, begin, end);
    unpack_range(to, begin, end, scratch);
  }
}

static bool handle(const leadline_collection* c, const Move* move, char* data, bool failed) {
  const Carried* carried = &c->carried[move->field];
  if (!failed)
    failed = carried->handler(carried->context, move->field, move->peer, move->offset, data, move->bytes) != 0;
  if (failed && !to_root(c)) memset(data, 0, move->bytes);
  return failed;
}

/* The root's own piece is passed to the handler in place if it is contiguous. */
static bool handle_own(const leadline_collection* c, const Move* move, char* scratch, bool failed) {
  if (move->there != NULL) return handle(c, move, move->there, failed);
  if (to_root(c)) pack_move(move, scratch);
  failed = handle(c, move, scratch, failed);
  if (!to_root(c)) unpack_move(move, scratch);
  return failed;
}

/* Between a segment's slot and its places, handlers or parts: field by field, and rank by rank. */
static bool pass(const leadline_collection* c, int n, bool failed) {
  char* slot = slot_of(c, n);
  for (int m = n == 0 ? 0 : c->moves_until[n - 1]; m < c->moves_until[n]; ++m) {
    const Move* move = &c->moves[m];
    char* data = slot + move->slot_at;
    const bool handled = is_root(c) && c->carried[move->field].handler != NULL;
    const bool own = is_root(c) && move->peer == c->root;
    if (handled) {
      failed = own ? handle_own(c, move, data, failed) : handle(c, move, data, failed);
    } else if (own) {
      move_own(c, move, data);
    } else if (is_sender(c)) {
      pack_move(move, data);
    } else {
      unpack_move(move, data);
    }
  }
  return failed;
}

/* --- All segments ------------------------------------------------------------------------------------------------- */

/* Whether it is faster to send a long part from where it is, or to pack it into a buffer that stays in the caches,
 * depends on how the cores of the two processes are connected: both were measured to be 1.5 times as fast as the other.
 * So each is tried in turn, of which no other rank needs to know. The first trial of each does not count. */
enum { TRIAL_SEGMENTS = 16, TRIALS = 8 };

static bool packs(Pace* pace, size_t bytes) {
  if (pace->trials < TRIALS && pace->segments == TRIAL_SEGMENTS) {
    const double took_s = (MPI_Wtime() - pace->began_s) / (double)pace->bytes;
    double* best_s = &pace->best_s[pace->packs];
    if (pace->trials >= 2 && (*best_s == 0 || took_s < *best_s)) *best_s = took_s;
    pace->packs = ++pace->trials < TRIALS ? !pace->packs : pace->best_s[1] < 0.95 * pace->best_s[0];
    pace->segments = 0;
  }
  if (pace->segments++ == 0) {
    pace->began_s = MPI_Wtime();
    pace->bytes = 0;
  }
  pace->bytes += bytes;
  return pace->packs;
}

/* True where the segment's only message could have been sent from where it is, but is in the slot now. */
static bool pack_in_any_case(leadline_collection* c, int n) {
  if (!may_pack(c)) return false;
  const Transfer* transfer = &c->transfers[n];
  if (transfer->there == NULL || transfer->bytes == 0 || !packs(&c->pace, transfer->bytes)) return false;
  memcpy(slot_of(c, n) + transfer->slot_at, transfer->there, transfer->bytes);
  return true;
}

static bool send_all(leadline_collection* c) {
  bool failed = false;
  c->pace.segments = 0; /* what happened since the last run does not count */
  for (int n = 0; n < c->n_segments; ++n) {
    await(c, n);
    failed = pass(c, n, failed);
    start(c, n, pack_in_any_case(c, n));
  }
  for (int n = 0; n < c->slots; ++n) await(c, n);
  return failed;
}

static bool receive_all(const leadline_collection* c) {
  bool failed = false;
  for (int n = 0; n < c->slots && n < c->n_segments; ++n) start(c, n, false);
  for (int n = 0; n < c->n_segments; ++n) {
    await(c, n);
    failed = pass(c, n, failed);
    if (n + c->slots < c->n_segments) start(c, n + c->slots, false);
  }
  return failed;
}

int leadline_collection_run(leadline_collection* c) {
  leadline_segments* plan = c->plan;
  if (plan->broken) return LEADLINE_SEGMENTS_WRONG_PLAN; /* with the message that said why */
  if (!plan->committed) {
    return fail(plan, LEADLINE_SEGMENTS_MISUSE, "rank %d: the collection was used before it was committed", plan->rank);
  }
  if (plan->checks_always) {
    const int error = agree(plan, check_memory(plan));
    if (error != LEADLINE_SEGMENTS_OK) return error;
  }
  const bool failed = is_sender(c) ? send_all(c) : receive_all(c);
  if (!failed) return LEADLINE_SEGMENTS_OK;
  return fail(plan, LEADLINE_SEGMENTS_HANDLER_FAILED,
              "rank %d: a handler failed (collection that begins with field %s)", plan->rank, plan->fields[0].name);
}
