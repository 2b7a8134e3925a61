/* The root divides a collection's fields into segments, each small enough for the memory limit. */
#include <limits.h>
#include <stdlib.h>

#include "collection.h"

enum { DIRECT_BYTES = 64 << 10, DEFAULT_LIMIT = 16 << 20 };

Piece piece_of(const leadline_collection* c, const Segment* segment, int field, size_t part_bytes) {
  if (segment->parts == 1) return (Piece){0, part_bytes};
  const size_t element = c->carried[field].element_bytes;
  const size_t elements = part_bytes / element;
  const size_t part = (size_t)segment->part, parts = (size_t)segment->parts;
  return (Piece){elements * part / parts * element, elements * (part + 1) / parts * element};
}

char* place_in_one_piece(const Layout* layout) {
  return layout->n_runs == 1 && layout->runs[0].count == 1 ? layout->runs[0].at : NULL;
}

static size_t total_of(const leadline_collection* c, int field) {
  size_t total = 0;
  for (int rank = 0; rank < c->plan->ranks; ++rank) total += place_of(c, field, rank)->bytes;
  return total;
}

/* Long parts whose places are one piece each, in the order of the ranks, are not worth a copy. */
static bool is_direct(const leadline_collection* c, int field) {
  if (c->carried[field].handler != NULL) return false;
  char *lowest = NULL, *end = NULL;
  size_t longest = 0;
  for (int rank = 0; rank < c->plan->ranks; ++rank) {
    const Layout* place = place_of(c, field, rank);
    if (place->bytes == 0) continue;
    char* at = place_in_one_piece(place);
    if (at == NULL || at < end) return false;
    if (lowest == NULL) lowest = at;
    end = at + place->bytes;
    if (place->bytes > longest) longest = place->bytes;
  }
  return longest >= DIRECT_BYTES && end - lowest <= INT_MAX;
}

/* The most that one segment has of the field when it is cut into so many parts. */
static size_t largest_share(const leadline_collection* c, int field, size_t parts) {
  const size_t element = c->carried[field].element_bytes;
  size_t share = 0;
  for (int rank = 0; rank < c->plan->ranks; ++rank) {
    share += (place_of(c, field, rank)->bytes / element + parts - 1) / parts * element;
  }
  return share;
}

/* 0 where not even one element of each rank has room. */
static int parts_of(const leadline_collection* c, int field, size_t most) {
  size_t longest = 0;
  for (int rank = 0; rank < c->plan->ranks; ++rank) {
    const size_t elements = place_of(c, field, rank)->bytes / c->carried[field].element_bytes;
    if (elements > longest) longest = elements;
  }
  if (largest_share(c, field, longest) > most) return 0;
  size_t parts = (total_of(c, field) + most - 1) / most;
  while (largest_share(c, field, parts) > most) parts += 1 + parts / 64;
  return parts > INT_MAX ? 0 : (int)parts;
}

static bool add_segment(leadline_collection* c, Segment segment) {
  if ((c->n_segments & (c->n_segments - 1)) == 0) {
    const size_t room = c->n_segments == 0 ? 1 : 2 * (size_t)c->n_segments;
    Segment* larger = realloc(c->segments, room * sizeof *larger);
    if (larger == NULL) return false;
    c->segments = larger;
  }
  c->segments[c->n_segments++] = segment;
  return true;
}

static bool cut(leadline_collection* c, int field, size_t most) {
  const int parts = parts_of(c, field, most);
  if (parts == 0) {
    keep_first(c->plan, LEADLINE_SEGMENTS_WRONG_PLAN,
               "rank %d: a memory limit of %zu bytes has no room for one element of field %s from each of the %d ranks",
               c->plan->rank, most, c->plan->fields[field].name, c->plan->ranks);
    return false;
  }
  for (int part = 0; part < parts; ++part) {
    if (!add_segment(c, (Segment){field, field + 1, part, parts, false})) return false;
  }
  return true;
}

bool divide(leadline_collection* c, size_t limit_bytes) {
  const size_t limit = limit_bytes == 0 ? DEFAULT_LIMIT : limit_bytes;
  const size_t most = limit < INT_MAX ? limit : INT_MAX; /* MPI counts bytes in an int here */
  const int fields = c->plan->n_fields;
  int first = 0;
  size_t together = 0;
  bool fine = true;
  for (int field = 0; field <= fields && fine; ++field) {
    const bool there = field < fields;
    const bool direct = there && is_direct(c, field);
    const size_t total = there ? total_of(c, field) : 0;
    const bool alone = direct || total > most;
    if (first < field && (!there || alone || total > most - together)) {
      fine = together == 0 || add_segment(c, (Segment){first, field, 0, 1, false});
      first = field;
      together = 0;
    }
    together += alone ? 0 : total;
    if (!alone || !fine) continue;
    fine = direct ? add_segment(c, (Segment){field, field + 1, 0, 1, true}) : cut(c, field, most);
    first = field + 1;
  }
  if (!fine) {
    keep_first(c->plan, LEADLINE_SEGMENTS_NO_MEMORY, "rank %d: no memory for the segments of field %s and others",
               c->plan->rank, c->plan->fields[0].name);
  }
  return fine;
}
