/* A collection is carried out: one MPI_Gatherv or MPI_Scatterv for each segment. */
#include <string.h>

#include "collection.h"

/* Where of a layout in one piece the segment's share begins; null if it has several pieces. */
static char* in_place(const leadline_collection* c, const Segment* segment) {
  if (segment->end - segment->first > 1) return NULL;
  const Layout* part = part_of(c, segment->first);
  char* at = place_in_one_piece(part);
  return at == NULL ? NULL : at + piece_of(c, segment, segment->first, part->bytes).begin;
}

/* Between the faces of this rank and its buffer. Returns the bytes. */
static size_t pack_parts(const leadline_collection* c, const Segment* segment, char* buffer) {
  char* to = buffer;
  for (int field = segment->first; field < segment->end; ++field) {
    const Layout* part = part_of(c, field);
    const Piece piece = piece_of(c, segment, field, part->bytes);
    to = pack_range(to, part, piece.begin, piece.end);
  }
  return (size_t)(to - buffer);
}

static void unpack_parts(const leadline_collection* c, const Segment* segment, const char* from) {
  for (int field = segment->first; field < segment->end; ++field) {
    const Layout* part = part_of(c, field);
    const Piece piece = piece_of(c, segment, field, part->bytes);
    from = unpack_range(part, piece.begin, piece.end, from);
  }
}

static size_t bytes_of_part(const leadline_collection* c, const Segment* segment) {
  size_t bytes = 0;
  for (int field = segment->first; field < segment->end; ++field) {
    const Piece piece = piece_of(c, segment, field, part_of(c, field)->bytes);
    bytes += piece.end - piece.begin;
  }
  return bytes;
}

/* --- The root ----------------------------------------------------------------------------------------------------- */

/* Counts and displacements of the ranks; returns what the displacements are from. */
static char* share_out(const leadline_collection* c, const Segment* segment) {
  char* base = segment->direct ? NULL : c->buffer;
  size_t at = 0;
  for (int rank = 0; rank < c->plan->ranks; ++rank) {
    size_t bytes = 0;
    for (int field = segment->first; field < segment->end; ++field) {
      const Piece piece = piece_of(c, segment, field, place_of(c, field, rank)->bytes);
      bytes += piece.end - piece.begin;
    }
    if (segment->direct && bytes > 0) {
      char* place = place_in_one_piece(place_of(c, segment->first, rank));
      if (base == NULL) base = place;
      at = (size_t)(place - base);
    }
    c->counts[rank] = (int)bytes;
    c->displacements[rank] = (int)at;
    at += bytes;
  }
  return base;
}

/* The pieces in the buffer, field by field and rank by rank, go to their places or handlers; or come from there.
 * After it the displacements are those of the ranks' ends. */
static int pass(const leadline_collection* c, const Segment* segment, bool failed) {
  for (int field = segment->first; field < segment->end; ++field) {
    const Carried* carried = &c->carried[field];
    for (int rank = 0; rank < c->plan->ranks; ++rank) {
      const Layout* place = place_of(c, field, rank);
      const Piece piece = piece_of(c, segment, field, place->bytes);
      const size_t bytes = piece.end - piece.begin;
      char* data = c->buffer + c->displacements[rank];
      c->displacements[rank] += (int)bytes;
      if (bytes == 0) continue;
      if (carried->handler != NULL) {
        if (!failed) failed = carried->handler(carried->context, field, rank, piece.begin, data, bytes) != 0;
        if (failed && c->direction == LEADLINE_FROM_ROOT) memset(data, 0, bytes);
      } else if (c->direction == LEADLINE_TO_ROOT) {
        unpack_range(place, piece.begin, piece.end, data);
      } else {
        pack_range(data, place, piece.begin, piece.end);
      }
    }
  }
  return failed;
}

static bool gather_on_root(const leadline_collection* c, const Segment* segment, bool failed) {
  char* base = share_out(c, segment);
  pack_parts(c, segment, base + c->displacements[c->root]);
  MPI_Gatherv(MPI_IN_PLACE, 0, MPI_BYTE, base, c->counts, c->displacements, MPI_BYTE, c->root, c->plan->comm);
  return segment->direct ? failed : pass(c, segment, failed);
}

static bool scatter_on_root(const leadline_collection* c, const Segment* segment, bool failed) {
  char* base = share_out(c, segment);
  if (!segment->direct) {
    failed = pass(c, segment, failed);
    share_out(c, segment);
  }
  unpack_parts(c, segment, base + c->displacements[c->root]);
  MPI_Scatterv(base, c->counts, c->displacements, MPI_BYTE, MPI_IN_PLACE, 0, MPI_BYTE, c->root, c->plan->comm);
  return failed;
}

/* --- The other ranks ---------------------------------------------------------------------------------------------- */

static void gather_on_rank(const leadline_collection* c, const Segment* segment) {
  const size_t bytes = bytes_of_part(c, segment);
  char* from = in_place(c, segment);
  if (from == NULL) {
    from = c->buffer;
    pack_parts(c, segment, from);
  }
  MPI_Gatherv(from, (int)bytes, MPI_BYTE, NULL, NULL, NULL, MPI_BYTE, c->root, c->plan->comm);
}

static void scatter_on_rank(const leadline_collection* c, const Segment* segment) {
  const size_t bytes = bytes_of_part(c, segment);
  char* there = in_place(c, segment);
  char* to = there == NULL ? c->buffer : there;
  MPI_Scatterv(NULL, NULL, NULL, MPI_BYTE, to, (int)bytes, MPI_BYTE, c->root, c->plan->comm);
  if (there == NULL) unpack_parts(c, segment, to);
}

int leadline_collection_run(leadline_collection* c) {
  leadline_segments* plan = c->plan;
  if (plan->broken) return LEADLINE_SEGMENTS_WRONG_PLAN; /* with the message that said why */
  if (!plan->committed) {
    return fail(plan, LEADLINE_SEGMENTS_MISUSE, "rank %d: the collection is used before its commit", plan->rank);
  }
  if (plan->checks_always) {
    const int error = agree(plan, check_memory(plan));
    if (error != LEADLINE_SEGMENTS_OK) return error;
  }
  bool failed = false;
  const bool to_root = c->direction == LEADLINE_TO_ROOT;
  for (int n = 0; n < c->n_segments; ++n) {
    const Segment* segment = &c->segments[n];
    if (is_root(c)) {
      failed = to_root ? gather_on_root(c, segment, failed) : scatter_on_root(c, segment, failed);
    } else if (to_root) {
      gather_on_rank(c, segment);
    } else {
      scatter_on_rank(c, segment);
    }
  }
  if (!failed) return LEADLINE_SEGMENTS_OK;
  return fail(plan, LEADLINE_SEGMENTS_HANDLER_FAILED,
              "rank %d: a handler failed in the collection of field %s and others", plan->rank, plan->fields[0].name);
}
