/* What a collection holds. Its plan is one of exchanges: a rank's only neighbour is the root, and the root's neighbour
 * of number r is rank r, itself among them. So the checks of exchanges are those of collections. */
#ifndef LEADLINE_COLLECTION_H
#define LEADLINE_COLLECTION_H

#include "leadline_collections.h"
#include "plan.h"

#define divide leadline_collection_divide_
#define place_in_one_piece leadline_collection_place_in_one_piece_
#define piece_of leadline_collection_piece_of_
#define work_out_moves leadline_collection_work_out_moves_

/* What one message of each rank carries: fields `first` to `end` - 1, or the `part`-th of `parts` parts of one field.
 */
typedef struct {
  int first;
  int end;
  int part;
  int parts;
} Segment;

typedef struct {
  size_t element_bytes; /* 0 until a face has said it */
  leadline_piece_handler handler;
  void* context;
} Carried;

/* One message of a segment. */
typedef struct {
  char* there;    /* null: it lies in the slot */
  size_t slot_at; /* from the slot's beginning */
  size_t bytes;   /* 0: there is none */
} Transfer;

/* A piece between a slot, and a place, handler or part. */
typedef struct {
  char* there;          /* its first byte in the layout, if that is one piece */
  const Layout* layout; /* the peer's place; of the root's own piece, its part */
  size_t offset;        /* in the layout's bytes */
  size_t bytes;
  size_t slot_at;
  int field;
  int peer;
} Move;

/* How long the sending of long parts in one piece takes, by whether they are packed all the same. */
typedef struct {
  int trials;
  int segments; /* of this trial */
  bool packs;
  double began_s;
  size_t bytes;
  double best_s[2]; /* for a byte */
} Pace;

struct leadline_collection {
  leadline_segments* plan;
  int direction;
  int root;
  Carried* carried; /* of each field */
  Segment* segments;
  int n_segments;
  Transfer* transfers; /* segment * peers + peer */
  Move* moves;
  int n_moves;
  int* moves_until; /* of each segment: the moves of those before and its own */
  char* buffer;
  size_t buffer_bytes;
  int slots; /* the buffer's, and so the segments that are under way at once */
  size_t slot_bytes;
  Pace pace;
  MPI_Request* requests; /* slot * peers + peer */
  size_t* next;          /* of each peer: where in the slot its next piece is, while that is worked out */
};

typedef struct {
  size_t begin;
  size_t end;
} Piece;

static inline bool is_root(const leadline_collection* c) { return c->plan->rank == c->root; }

/* True where this rank finds out in the first runs whether to pack what is in one piece (gather.c). */
static inline bool may_pack(const leadline_collection* c) {
#if defined(I_MPI_VERSION)
  (void)c;
  return false; /* sends by way of a buffer of its own */
#else
  return !is_root(c) && c->direction == LEADLINE_TO_ROOT;
#endif
}

static inline bool is_sender(const leadline_collection* c) { return is_root(c) != (c->direction == LEADLINE_TO_ROOT); }

/* The layout of this rank's part, or on the root of the place for the rank. */
static inline Layout* part_of(const leadline_collection* c, int field) {
  Face* face = face_of(c->plan, field, is_root(c) ? c->root : 0);
  return c->direction == LEADLINE_TO_ROOT ? &face->send : &face->receive;
}

static inline Layout* place_of(const leadline_collection* c, int field, int rank) {
  Face* face = face_of(c->plan, field, rank);
  return c->direction == LEADLINE_TO_ROOT ? &face->receive : &face->send;
}

/* This rank exchanges messages with the root alone, and the root with all ranks. */
static inline int peers_of(const leadline_collection* c) { return is_root(c) ? c->plan->ranks : 1; }

static inline const Layout* layout_with(const leadline_collection* c, int field, int peer) {
  return is_root(c) ? place_of(c, field, peer) : part_of(c, field);
}

/* The bytes of a part that the segment carries: whole elements, in shares that differ by one element at most. */
Piece piece_of(const leadline_collection* c, const Segment* segment, int field, size_t part_bytes);

/* division.c, on the root. False where an error was noted. */
bool divide(leadline_collection* c, size_t limit_bytes);

/* Where the place starts if it is one piece, else null. */
char* place_in_one_piece(const Layout* layout);

/* moves.c: transfers, moves and the buffer. False where there is no memory. */
bool work_out_moves(leadline_collection* c);

#endif
