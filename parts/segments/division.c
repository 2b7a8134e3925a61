/* The root divides a collection's fields into segments, each small enough for the memory limit and for the caches. */
#include <limits.h>
#include <stdlib.h>

#include "collection.h"

enum { DEFAULT_LIMIT = 16 << 20 };

/* What is best, as measured (docs/build-in/segments.md): a part travels alone from ALONE bytes on, those below together
 * up to TOGETHER bytes of a rank, and no message has more than CUT. */
#if defined(I_MPI_VERSION)
enum { SLOTS = 4, ALONE = 2 << 10, TOGETHER = 64 << 10, CUT = 256 << 10 };
#else
enum { SLOTS = 4, ALONE = 32 << 10, TOGETHER = 128 << 10, CUT = 128 << 10 };
#endif

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

/* What is known of a field's parts, or of what a segment has of them. */
typedef struct {
  size_t longest;
  size_t together;
  size_t buffered; /* of what has no place in one piece */
} Share;

/* The most that one segment has of the field when it is cut into so many parts. */
static Share share_of(const leadline_collection* c, int field, size_t parts) {
  const size_t element = c->carried[field].element_bytes;
  Share share = {0, 0, 0};
  for (int rank = 0; rank < c->plan->ranks; ++rank) {
    const Layout* place = place_of(c, field, rank);
    if (place->bytes == 0) continue;
    const size_t bytes = (place->bytes / element + parts - 1) / parts * element;
    if (bytes > share.longest) share.longest = bytes;
    share.together += bytes;
    if (place_in_one_piece(place) == NULL) share.buffered += bytes;
  }
  return share;
}

/* Of a segment with this field alone, if it carries one element of each rank. */
static size_t least_of(const leadline_collection* c, int field) {
  const Share share = share_of(c, field, 1);
  return share.longest == 0 ? 0 : share_of(c, field, share.longest / c->carried[field].element_bytes).buffered;
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

/* A long part is cut to what fits the caches, unless that would be less than an element. */
static bool add_alone(leadline_collection* c, int field, size_t most) {
  const Share whole = share_of(c, field, 1);
  const size_t element = c->carried[field].element_bytes;
  const size_t longest = CUT > element ? CUT : element;
  size_t parts = (whole.longest + longest - 1) / longest;
  for (;;) {
    const Share share = share_of(c, field, parts);
    if (share.buffered <= most && share.longest <= longest) break;
    parts += 1 + parts / 64;
  }
  for (size_t part = 0; part < parts; ++part) {
    if (!add_segment(c, (Segment){field, field + 1, (int)part, (int)parts})) return false;
  }
  return true;
}

/* True where not even one element of each rank has room. Otherwise also says how many slots the limit has room for. */
static bool has_no_room(leadline_collection* c, size_t limit) {
  c->slots = SLOTS;
  for (int field = 0; field < c->plan->n_fields; ++field) {
    const size_t least = least_of(c, field);
    while (c->slots > 0 && least > limit / (size_t)c->slots) --c->slots;
    if (c->slots > 0) continue;
    keep_first(c->plan, LEADLINE_SEGMENTS_WRONG_PLAN,
               "rank %d: the memory limit of %zu bytes cannot hold one element of field %s from each of %d ranks",
               c->plan->rank, limit, c->plan->fields[field].name, c->plan->ranks);
    return true;
  }
  return false;
}

bool divide(leadline_collection* c, size_t limit_bytes) {
  const size_t limit = limit_bytes == 0 ? DEFAULT_LIMIT : limit_bytes;
  if (has_no_room(c, limit)) return false;
  const size_t most = limit / (size_t)c->slots;
  const int fields = c->plan->n_fields;
  int first = 0;
  Share open = {0, 0, 0}; /* of the fields from `first` on */
  bool fine = true;
  for (int field = 0; field <= fields && fine; ++field) {
    const bool there = field < fields;
    const Share share = there ? share_of(c, field, 1) : (Share){0, 0, 0};
    const bool alone = share.longest >= ALONE || share.together > most;
    const bool full = open.longest + share.longest > TOGETHER || open.together + share.together > most;
    if (first < field && (!there || alone || full)) {
      fine = open.together == 0 || add_segment(c, (Segment){first, field, 0, 1});
      first = field;
      open = (Share){0, 0, 0};
    }
    if (alone && fine) {
      fine = add_alone(c, field, most);
      first = field + 1;
    } else {
      open.longest += share.longest;
      open.together += share.together;
    }
  }
  if (!fine) {
    keep_first(c->plan, LEADLINE_SEGMENTS_NO_MEMORY, "rank %d: out of memory (segments; the first field is %s)",
               c->plan->rank, c->plan->fields[0].name);
  }
  return fine;
}
