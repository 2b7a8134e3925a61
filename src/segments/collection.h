/* What a collection holds. Its plan is one of exchanges: a rank's only neighbour is the root, and the root's neighbour
 * of number r is rank r, itself among them. So the checks of exchanges are those of collections. */
#ifndef LEADLINE_COLLECTION_H
#define LEADLINE_COLLECTION_H

#include "leadline_collections.h"
#include "plan.h"

#define divide leadline_collection_divide_
#define place_in_one_piece leadline_collection_place_in_one_piece_
#define piece_of leadline_collection_piece_of_

/* What one collective carries: fields `first` to `end` - 1, or the `part`-th of `parts` parts of one field. */
typedef struct {
  int first;
  int end;
  int part;
  int parts;
  int direct; /* on the root the pieces stay where they are: no buffer */
} Segment;

typedef struct {
  size_t element_bytes; /* 0 until a face has said it */
  leadline_piece_handler handler;
  void* context;
} Carried;

struct leadline_collection {
  leadline_segments* plan;
  int direction;
  int root;
  Carried* carried; /* of each field */
  Segment* segments;
  int n_segments;
  char* buffer;
  size_t buffer_bytes;
  int* counts; /* on the root, of each rank */
  int* displacements;
};

typedef struct {
  size_t begin;
  size_t end;
} Piece;

static inline bool is_root(const leadline_collection* c) { return c->plan->rank == c->root; }

/* The layout of this rank's part, or on the root of the place for the rank. */
static inline Layout* part_of(const leadline_collection* c, int field) {
  Face* face = face_of(c->plan, field, is_root(c) ? c->root : 0);
  return c->direction == LEADLINE_TO_ROOT ? &face->send : &face->receive;
}

static inline Layout* place_of(const leadline_collection* c, int field, int rank) {
  Face* face = face_of(c->plan, field, rank);
  return c->direction == LEADLINE_TO_ROOT ? &face->receive : &face->send;
}

/* The bytes of a part that the segment carries: whole elements, in shares that differ by one element at most. */
Piece piece_of(const leadline_collection* c, const Segment* segment, int field, size_t part_bytes);

/* division.c, on the root. False where an error was noted. */
bool divide(leadline_collection* c, size_t limit_bytes);

/* Where the place starts if it is one piece, else null. */
char* place_in_one_piece(const Layout* layout);

#endif
