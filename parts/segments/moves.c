/* What carrying out a collection takes: of each segment, its messages and what is copied or handled. All is worked out
 * once and kept in the order of use: looking it up in the plan took as long as the messages of many small fields. */
#include <stdlib.h>

#include "collection.h"

static size_t bytes_with(const leadline_collection* c, const Segment* segment, int peer) {
  size_t bytes = 0;
  for (int field = segment->first; field < segment->end; ++field) {
    const Piece piece = piece_of(c, segment, field, layout_with(c, field, peer)->bytes);
    bytes += piece.end - piece.begin;
  }
  return bytes;
}

/* Where a message is read or written without a copy; null if it needs a buffer. */
static char* in_place(const leadline_collection* c, const Segment* segment, int peer) {
  if (segment->end - segment->first > 1) return NULL;
  const Layout* layout = layout_with(c, segment->first, peer);
  char* at = place_in_one_piece(layout);
  return at == NULL ? NULL : at + piece_of(c, segment, segment->first, layout->bytes).begin;
}

static void add_move(leadline_collection* c, const Segment* segment, int field, int peer, size_t* slot_at) {
  const Layout* layout = layout_with(c, field, peer);
  const Piece piece = piece_of(c, segment, field, layout->bytes);
  if (piece.begin == piece.end) return;
  Move* move = &c->moves[c->n_moves++];
  *move = (Move){NULL, layout, piece.begin, piece.end - piece.begin, *slot_at, field, peer};
  *slot_at += move->bytes;
  const bool own = is_root(c) && peer == c->root;
  if (own) move->layout = part_of(c, field);
  move->there = place_in_one_piece(move->layout);
  if (move->there != NULL) move->there += piece.begin;
}

/* Where a field is alone, and either its part or its place is one piece, the root's own is copied without a buffer. */
static bool own_needs_slot(const leadline_collection* c, const Segment* segment) {
  return segment->end - segment->first > 1 || (place_in_one_piece(part_of(c, segment->first)) == NULL &&
                                               place_in_one_piece(place_of(c, segment->first, c->root)) == NULL);
}

/* Messages that need no buffer have no moves, but for those of the root to itself. */
static void work_out(leadline_collection* c, int n) {
  const Segment* segment = &c->segments[n];
  const int peers = peers_of(c);
  Transfer* transfers = c->transfers + (size_t)n * peers;
  size_t slot_bytes = 0;
  for (int peer = 0; peer < peers; ++peer) {
    const bool own = is_root(c) && peer == c->root;
    transfers[peer] = (Transfer){own ? NULL : in_place(c, segment, peer), slot_bytes, bytes_with(c, segment, peer)};
    c->next[peer] = slot_bytes;
    const bool copied = own ? own_needs_slot(c, segment) : transfers[peer].there == NULL || may_pack(c);
    if (copied) slot_bytes += transfers[peer].bytes;
  }
  for (int field = segment->first; field < segment->end; ++field) {
    for (int peer = 0; peer < peers; ++peer) {
      if (transfers[peer].there == NULL) add_move(c, segment, field, peer, &c->next[peer]);
    }
  }
  if (is_root(c)) transfers[c->root].bytes = 0;
  c->moves_until[n] = c->n_moves;
  if (slot_bytes > c->slot_bytes) c->slot_bytes = slot_bytes;
}

bool work_out_moves(leadline_collection* c) {
  const size_t peers = (size_t)peers_of(c), segments = (size_t)c->n_segments + 1;
  size_t moves = 1;
  for (int n = 0; n < c->n_segments; ++n) moves += (size_t)(c->segments[n].end - c->segments[n].first) * peers;
  c->moves = malloc(moves * sizeof *c->moves);
  c->moves_until = malloc(segments * sizeof *c->moves_until);
  c->transfers = malloc(segments * peers * sizeof *c->transfers);
  c->next = malloc(peers * sizeof *c->next);
  c->requests = malloc((size_t)c->slots * peers * sizeof *c->requests);
  if (c->moves == NULL || c->moves_until == NULL || c->transfers == NULL || c->next == NULL || c->requests == NULL) {
    return false;
  }
  for (size_t n = 0; n < (size_t)c->slots * peers; ++n) c->requests[n] = MPI_REQUEST_NULL;
  for (int n = 0; n < c->n_segments; ++n) work_out(c, n);
  c->buffer_bytes = (size_t)c->slots * c->slot_bytes;
  return c->buffer_bytes == 0 || (c->buffer = malloc(c->buffer_bytes)) != NULL;
}
