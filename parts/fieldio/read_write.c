/* Reads and writes a field, in the way that the file is opened for. */
#include <stdlib.h>

#include "slabs.h"
#include "together.h"
#include "transfer.h"

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
    note(report, "%s: the field in memory must be contiguous, with elements of 4 or 8 bytes, and of the declared size",
         t->file->path);
  if (t->spread->report.failed) note(report, "%s: %s", t->file->path, t->spread->report.message);
  if (t->spread->ranks != t->file->ranks || t->spread->rank != t->file->rank) {
    note(report, "%s: the field's ranks differ from the file's", t->file->path);
  }
  if (t->leading < 0 || t->leading > MOST_DIMENSIONS - DIMENSIONS) {
    note(report, "%s: at most %d leading dimensions", t->file->path, MOST_DIMENSIONS - DIMENSIONS);
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
