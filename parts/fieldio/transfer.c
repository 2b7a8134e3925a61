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
    note(&t->file->report, "%s: rank %d: out of memory (%llu bytes)", t->file->path, t->file->rank,
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
