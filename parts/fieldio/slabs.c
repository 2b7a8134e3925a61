/* One rank reads and scatters, gathers and writes, slab by slab; or every rank reads the slabs alone. */
#include "slabs.h"

enum { PART_TAG = 1 };

/* --- Buffers ------------------------------------------------------------------------------------------------------ */

/* What this rank's parts of a slab take at most. */
static int64_t largest_part(const Transfer* t) {
  int64_t largest = 0;
  for (int64_t number = 0; number < t->division.slabs; ++number) {
    const Box slab = slab_of(t->spread, &t->division, number);
    const Box part = common_box(&slab, &t->parts[t->file->rank], t->spread->dimensions);
    const int64_t points = points_of(&part, t->spread->dimensions);
    if (points > largest) largest = points;
  }
  return largest;
}

void make_slab_buffers(Transfer* t, bool to_read) {
  leadline_field_file* file = t->file;
  if (!divide(t->spread, t->parts, t->element, file->limit, &t->division)) {
    note(&file->report, "%s: the memory limit of %zu bytes is too small for one point per rank", file->path,
         file->limit);
    return;
  }
  const uint64_t slab = (uint64_t)t->division.slab_points * t->element;
  const bool has_slab = file->netcdf != NULL, reads_alone = to_read && file->way == LEADLINE_FIELDIO_SERIAL;
  uint64_t packed = 0;
  if (!reads_alone) packed = (uint64_t)(is_root(t) ? t->division.part_points : largest_part(t)) * t->element;
  if (has_slab) t->slab = room_for(t, slab);
  t->packed = room_for(t, packed);
  t->bytes = room_for(t, (uint64_t)file->ranks * sizeof *t->bytes);
  t->places = room_for(t, (uint64_t)file->ranks * sizeof *t->places);
  const uint64_t all = (has_slab ? slab : 0) + packed;
  if (all > file->buffer_bytes) file->buffer_bytes = all;
}

/* --- Slabs -------------------------------------------------------------------------------------------------------- */

static Box part_of(const Transfer* t, const Box* slab, int rank) {
  return common_box(slab, &t->parts[rank], t->spread->dimensions);
}

static int bytes_of_part(const Transfer* t, const Box* slab, int rank) {
  const Box part = part_of(t, slab, rank);
  return (int)(points_of(&part, t->spread->dimensions) * (int64_t)t->element); /* the limit is less than an int */
}

static void share_out(const Transfer* t, const Box* slab) {
  int at = 0;
  for (int rank = 0; rank < t->file->ranks; ++rank) {
    t->bytes[rank] = bytes_of_part(t, slab, rank);
    t->places[rank] = at;
    at += t->bytes[rank];
  }
}

static void slab_to_packed(const Transfer* t, const Box* slab, bool to_packed) {
  const int dimensions = t->spread->dimensions;
  for (int rank = 0; rank < t->file->ranks; ++rank) {
    const Box part = part_of(t, slab, rank);
    const Array packed = array_of(t->packed + t->places[rank], &part, &part, dimensions, t->element);
    const Array whole = array_of(t->slab, slab, &part, dimensions, t->element);
    copy_box(to_packed ? &packed : &whole, to_packed ? &whole : &packed, &part, dimensions, t->element);
  }
}

static char* mine_in_packed(const Transfer* t) { return is_root(t) ? t->packed + t->places[t->file->rank] : t->packed; }

/* --- Reading ------------------------------------------------------------------------------------------------------ */

static void read_slab_alone(const Transfer* t, const Box* slab, void* values) {
  const int dimensions = t->spread->dimensions;
  const Box part = part_of(t, slab, t->file->rank);
  read_box(t, slab, t->slab);
  if (t->file->report.failed) return;
  const Array from = array_of(t->slab, slab, &part, dimensions, t->element);
  const Array to = array_in_memory(t->spread, values, &part, t->element);
  copy_box(&to, &from, &part, dimensions, t->element);
}

static void read_slab_and_scatter(const Transfer* t, const Box* slab, void* values) {
  const leadline_field_file* file = t->file;
  const int mine = bytes_of_part(t, slab, file->rank);
  if (is_root(t)) {
    read_box(t, slab, t->slab);
    share_out(t, slab);
    slab_to_packed(t, slab, true);
    MPI_Scatterv(t->packed, t->bytes, t->places, MPI_BYTE, MPI_IN_PLACE, mine, MPI_BYTE, ROOT, file->comm);
  } else {
    MPI_Scatterv(NULL, NULL, NULL, MPI_BYTE, t->packed, mine, MPI_BYTE, ROOT, file->comm);
  }
  const Box part = part_of(t, slab, file->rank);
  unpack(t, &part, mine_in_packed(t), values);
}

void read_slabs(Transfer* t, void* values) {
  const bool alone = t->file->way == LEADLINE_FIELDIO_SERIAL;
  for (int64_t number = 0; number < t->division.slabs; ++number) {
    const Box slab = slab_of(t->spread, &t->division, number);
    (alone ? read_slab_alone : read_slab_and_scatter)(t, &slab, values);
  }
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

static void receive_parts(const Transfer* t) {
  for (int rank = 0; rank < t->file->ranks; ++rank) {
    if (rank == ROOT || t->bytes[rank] == 0) continue;
    MPI_Recv(t->packed + t->places[rank], t->bytes[rank], MPI_BYTE, rank, PART_TAG, t->file->comm, MPI_STATUS_IGNORE);
  }
}

static void write_slab(const Transfer* t, const Box* slab, void* values) {
  const leadline_field_file* file = t->file;
  const bool in_sends = file->way == LEADLINE_FIELDIO_SERIAL;
  const int mine = bytes_of_part(t, slab, file->rank);
  const Box part = part_of(t, slab, file->rank);
  if (is_root(t)) share_out(t, slab);
  pack(t, &part, values, mine_in_packed(t));
  if (!is_root(t) && in_sends) {
    if (mine > 0) MPI_Send(t->packed, mine, MPI_BYTE, ROOT, PART_TAG, file->comm);
  } else if (!is_root(t)) {
    MPI_Gatherv(t->packed, mine, MPI_BYTE, NULL, NULL, NULL, MPI_BYTE, ROOT, file->comm);
  } else {
    if (in_sends) {
      receive_parts(t);
    } else {
      MPI_Gatherv(MPI_IN_PLACE, 0, MPI_BYTE, t->packed, t->bytes, t->places, MPI_BYTE, ROOT, file->comm);
    }
    slab_to_packed(t, slab, false);
    write_box(t, slab, t->slab);
  }
}

void write_slabs(Transfer* t, void* values) {
  for (int64_t number = 0; number < t->division.slabs; ++number) {
    const Box slab = slab_of(t->spread, &t->division, number);
    write_slab(t, &slab, values);
  }
}
