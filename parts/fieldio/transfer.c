/* Fields between the ranks' arrays and the file: what all ways have in common. */
#include "transfer.h"

#include <stdlib.h>
#include <string.h>

/* --- The file ----------------------------------------------------------------------------------------------------- */

/* What of the variable the box is, the leading indices before it. */
typedef struct {
  int64_t first[MOST_DIMENSIONS];
  int64_t count[MOST_DIMENSIONS];
} Region;

static Region region_of(const Transfer* t, const Box* box) {
  Region region;
  for (int d = 0; d < t->leading; ++d) {
    region.first[d] = t->index[d];
    region.count[d] = 1;
  }
  memcpy(region.first + t->leading, box->first, (size_t)t->spread->dimensions * sizeof *box->first);
  memcpy(region.count + t->leading, box->count, (size_t)t->spread->dimensions * sizeof *box->count);
  return region;
}

void read_box(const Transfer* t, const Box* box, void* values) {
  const Region region = region_of(t, box);
  if (!can_act(t->file)) return;
  check(t->file, t->file->netcdf->get[t->type](t->file->id, t->variable, region.first, region.count, values),
        "reading");
}

void write_box(const Transfer* t, const Box* box, void* values) {
  const Region region = region_of(t, box);
  if (!can_act(t->file)) return;
  check(t->file, t->file->netcdf->put[t->type](t->file->id, t->variable, region.first, region.count, values),
        "writing");
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

void* room_for(Transfer* t, uint64_t bytes) {
  void* room = malloc(bytes > 0 ? bytes : 1);
  if (room == NULL) {
    note(&t->file->report, "%s: rank %d: no memory for %llu bytes", t->file->path, t->file->rank,
         (unsigned long long)bytes);
  }
  return room;
}

void pack(const Transfer* t, const Box* part, void* values, char* packed) {
  const int dimensions = t->spread->dimensions;
  Array from = array_in_memory(t->spread, values, part, t->element);
  const Array like = from;
  const Array to = array_of(packed, part, part, dimensions, t->element);
  from.mask = NULL;
  copy_box(&to, &from, part, dimensions, t->element);
  write_land(&to, &like, part, dimensions, t->type, t->spread->land);
}

void unpack(const Transfer* t, const Box* part, const char* packed, void* values) {
  const int dimensions = t->spread->dimensions;
  const Array from = array_of((char*)(uintptr_t)packed, part, part, dimensions, t->element);
  const Array to = array_in_memory(t->spread, values, part, t->element);
  copy_box(&to, &from, part, dimensions, t->element);
}

/* --- A transfer --------------------------------------------------------------------------------------------------- */

static void free_buffers(Transfer* t) {
  free(t->slab);
  free(t->packed);
  free(t->others);
  free(t->requests);
  free(t->bytes);
  free(t->places);
}

static void refuse_what_cannot_be(Transfer* t, bool to_read) {
  Report* report = &t->file->report;
  if (t->type == LEADLINE_FIELDIO_INT8)
    note(report, "%s: a field in memory must be contiguous, of 4-byte or 8-byte numbers, and as large as declared",
         t->file->path);
  if (t->spread->report.failed) note(report, "%s: %s", t->file->path, t->spread->report.message);
  if (t->spread->ranks != t->file->ranks || t->spread->rank != t->file->rank) {
    note(report, "%s: the field is spread over other ranks than have the file open", t->file->path);
  }
  if (t->leading < 0 || t->leading > MOST_DIMENSIONS - DIMENSIONS) {
    note(report, "%s: at most %d dimensions may lead", t->file->path, MOST_DIMENSIONS - DIMENSIONS);
  }
  if (!to_read && t->spread->unwritable[0] != '\0') note(report, "%s: %s", t->file->path, t->spread->unwritable);
}

static int transfer(Transfer* t, bool to_read, void* values) {
  leadline_field_file* file = t->file;
  const bool together = file->way == LEADLINE_FIELDIO_PARALLEL;
  if (file->report.settled) return LEADLINE_FIELDIO_FAILED;
  refuse_what_cannot_be(t, to_read);
  if (settle(file) != LEADLINE_FIELDIO_OK) return LEADLINE_FIELDIO_FAILED;
  t->element = bytes_of_type(t->type);
  t->parts = to_read ? t->spread->wide : t->spread->blocks;
  if (together) {
    make_part_buffers(t, to_read);
  } else {
    make_slab_buffers(t, to_read);
  }
  if (settle(file) == LEADLINE_FIELDIO_OK) {
    if (together) {
      (to_read ? read_together : write_together)(t, values);
    } else {
      (to_read ? read_slabs : write_slabs)(t, values);
    }
  }
  free_buffers(t);
  return settle(file);
}

int leadline_fieldio_read(leadline_field_file* file, int variable, int leading, const int64_t* index,
                          const leadline_spread* spread, leadline_fieldio_type type, void* values) {
  Transfer t = {.file = file, .variable = variable, .leading = leading, .index = index, .spread = spread, .type = type};
  return transfer(&t, true, values);
}

int leadline_fieldio_write(leadline_field_file* file, int variable, int leading, const int64_t* index,
                           const leadline_spread* spread, leadline_fieldio_type type, const void* values) {
  Transfer t = {.file = file, .variable = variable, .leading = leading, .index = index, .spread = spread, .type = type};
  return transfer(&t, false, (void*)(uintptr_t)values);
}
