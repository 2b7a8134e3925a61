/* All ranks read and write, each a part of its own, in PnetCDF's collective calls.
 *
 * No value is read by two ranks: so the file is read once, and Open MPI 4.1 needs it (its default for collective reads,
 * fcoll vulcan, leaves out values that several ranks ask for). Each rank reads its block, or a strip of the field where
 * blocks overlap or leave something out, and sends others what they want of it, such as their halos. */
#include "together.h"

enum { PIECE_TAG = 2 };

/* What the rank reads. */
static Box read_by(const Transfer* t, int rank) {
  const leadline_spread* spread = t->spread;
  if (spread->unwritable[0] == '\0') return spread->blocks[rank];
  int longest = 0;
  for (int d = 1; d < spread->dimensions; ++d) {
    if (spread->whole.count[d] > spread->whole.count[longest]) longest = d;
  }
  Box strip = spread->whole;
  const int64_t length = strip.count[longest];
  strip.first[longest] = length * rank / spread->ranks;
  strip.count[longest] = length * (rank + 1) / spread->ranks - strip.first[longest];
  return strip;
}

/* What `to` wants of what `from` reads. */
static Box wanted(const Transfer* t, int from, int to) {
  const Box read = read_by(t, from);
  return common_box(&read, &t->parts[to], t->spread->dimensions);
}

static int64_t bytes_of(const Transfer* t, const Box* box) {
  return points_of(box, t->spread->dimensions) * (int64_t)t->element;
}

/* To and from all other ranks. */
static int64_t bytes_exchanged(const Transfer* t) {
  int64_t bytes = 0;
  for (int rank = 0; rank < t->file->ranks; ++rank) {
    if (rank == t->file->rank) continue;
    const Box out = wanted(t, t->file->rank, rank), in = wanted(t, rank, t->file->rank);
    bytes += bytes_of(t, &out) + bytes_of(t, &in);
  }
  return bytes;
}

void make_part_buffers(Transfer* t, bool to_read) {
  const Box mine = to_read ? read_by(t, t->file->rank) : t->parts[t->file->rank];
  const uint64_t part = (uint64_t)bytes_of(t, &mine), others = to_read ? (uint64_t)bytes_exchanged(t) : 0;
  t->packed = room_for(t, part);
  t->others = room_for(t, others);
  t->requests = room_for(t, 2 * (uint64_t)t->file->ranks * sizeof *t->requests);
  if (part + others > t->file->buffer_bytes) t->file->buffer_bytes = part + others;
}

/* Of what this rank has read. */
static void pack_piece(const Transfer* t, const Box* piece, char* packed) {
  const int dimensions = t->spread->dimensions;
  const Box mine = read_by(t, t->file->rank);
  const Array from = array_of(t->packed, &mine, piece, dimensions, t->element);
  const Array to = array_of(packed, piece, piece, dimensions, t->element);
  copy_box(&to, &from, piece, dimensions, t->element);
}

static MPI_Datatype type_of(const Transfer* t) { return t->element == 8 ? MPI_INT64_T : MPI_INT32_T; }

/* Received pieces come first in `others`, by rank, then those that are sent. */
static void exchange(Transfer* t) {
  const int me = t->file->rank, dimensions = t->spread->dimensions;
  int n = 0;
  char* at = t->others;
  for (int rank = 0; rank < t->file->ranks; ++rank) {
    const Box piece = wanted(t, rank, me);
    const int points = (int)points_of(&piece, dimensions);
    if (rank == me || points == 0) continue;
    MPI_Irecv(at, points, type_of(t), rank, PIECE_TAG, t->file->comm, &t->requests[n++]);
    at += bytes_of(t, &piece);
  }
  for (int rank = 0; rank < t->file->ranks; ++rank) {
    const Box piece = wanted(t, me, rank);
    const int points = (int)points_of(&piece, dimensions);
    if (rank == me || points == 0) continue;
    pack_piece(t, &piece, at);
    MPI_Isend(at, points, type_of(t), rank, PIECE_TAG, t->file->comm, &t->requests[n++]);
    at += bytes_of(t, &piece);
  }
  MPI_Waitall(n, t->requests, MPI_STATUSES_IGNORE);
}

static void unpack_received(const Transfer* t, void* values) {
  const char* at = t->others;
  for (int rank = 0; rank < t->file->ranks; ++rank) {
    if (rank == t->file->rank) continue;
    const Box piece = wanted(t, rank, t->file->rank);
    unpack(t, &piece, at, values);
    at += bytes_of(t, &piece);
  }
}

static void unpack_mine(const Transfer* t, void* values) {
  const int dimensions = t->spread->dimensions;
  const Box mine = read_by(t, t->file->rank), piece = wanted(t, t->file->rank, t->file->rank);
  const Array from = array_of(t->packed, &mine, &piece, dimensions, t->element);
  const Array to = array_in_memory(t->spread, values, &piece, t->element);
  copy_box(&to, &from, &piece, dimensions, t->element);
}

void read_together(Transfer* t, void* values) {
  const Box mine = read_by(t, t->file->rank);
  read_box(t, &mine, t->packed);
  exchange(t);
  unpack_mine(t, values);
  unpack_received(t, values);
}

void write_together(Transfer* t, void* values) {
  const Box* part = &t->parts[t->file->rank];
  pack(t, part, values, t->packed);
  write_box(t, part, t->packed);
}
