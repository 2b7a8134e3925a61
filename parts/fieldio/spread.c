#include "spread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- This rank's part --------------------------------------------------------------------------------------------- */

static int64_t of(const int64_t* numbers, int dimension, int64_t otherwise) {
  return numbers != NULL ? numbers[dimension] : otherwise;
}

static void take_dimension(leadline_spread* spread, const leadline_block* block, int d, Box* mine, Box* wide) {
  const int64_t whole = block->whole[d], first = block->first[d], count = block->count[d];
  const int64_t offset = of(block->offset, d, 0), size = of(block->sizes, d, count), halo = of(block->halo, d, 0);
  if (whole < 1 || first < 0 || count < 0 || first > whole || count > whole - first) {
    note(&spread->report, "rank %d, dimension %d: block of %lld points starting at %lld, but the field has %lld",
         spread->rank, d, (long long)count, (long long)first, (long long)whole);
    return;
  }
  const int64_t before = first < halo ? first : halo;
  const int64_t after = whole - first - count < halo ? whole - first - count : halo;
  if (halo < 0 || (count > 0 && (offset < before || offset + count + after > size))) {
    note(&spread->report,
         "rank %d, dimension %d: %lld points and a halo of %lld do not fit an array of %lld at offset %lld",
         spread->rank, d, (long long)count, (long long)halo, (long long)size, (long long)offset);
    return;
  }
  spread->whole.count[d] = whole;
  mine->first[d] = first;
  mine->count[d] = count;
  wide->first[d] = first - before;
  wide->count[d] = count > 0 ? before + count + after : 0;
}

static void take_block(leadline_spread* spread, const leadline_block* block, Box* mine, Box* wide) {
  if (block->dimensions < 1 || block->dimensions > DIMENSIONS || block->whole == NULL || block->first == NULL ||
      block->count == NULL) {
    note(&spread->report, "rank %d: a field needs 1 to %d dimensions, sizes and a block", spread->rank, DIMENSIONS);
    return;
  }
  spread->dimensions = block->dimensions;
  for (int d = 0; d < block->dimensions && !spread->report.failed; ++d) take_dimension(spread, block, d, mine, wide);
  int64_t stride = 1;
  for (int d = block->dimensions - 1; d >= 0; --d) {
    spread->stride[d] = stride;
    spread->start += of(block->offset, d, 0) * stride;
    stride *= of(block->sizes, d, block->count[d]);
  }
  spread->array_points = stride;
}

/* All ranks take rank 0's field. */
static void compare_with_root(leadline_spread* spread, MPI_Comm comm) {
  int64_t theirs[1 + DIMENSIONS] = {spread->dimensions};
  memcpy(theirs + 1, spread->whole.count, sizeof spread->whole.count);
  MPI_Bcast(theirs, 1 + DIMENSIONS, MPI_INT64_T, 0, comm);
  if (theirs[0] != spread->dimensions) {
    note(&spread->report, "rank %d: the field has %d dimensions, but %lld on rank 0", spread->rank, spread->dimensions,
         (long long)theirs[0]);
  }
  for (int d = 0; d < spread->dimensions; ++d) {
    if (theirs[1 + d] == spread->whole.count[d]) continue;
    note(&spread->report, "rank %d, dimension %d: the field has %lld points, but %lld on rank 0", spread->rank, d,
         (long long)spread->whole.count[d], (long long)theirs[1 + d]);
  }
}

static void find_why_unwritable(leadline_spread* spread) {
  const size_t bytes = sizeof spread->unwritable;
  int64_t points = 0;
  for (int a = 0; a < spread->ranks; ++a) {
    points += points_of(&spread->blocks[a], spread->dimensions);
    for (int b = 0; b < a; ++b) {
      const Box common = common_box(&spread->blocks[a], &spread->blocks[b], spread->dimensions);
      if (points_of(&common, spread->dimensions) == 0) continue;
      snprintf(spread->unwritable, bytes, "the blocks of ranks %d and %d overlap in %lld points", b, a,
               (long long)points_of(&common, spread->dimensions));
      return;
    }
  }
  const int64_t missing = points_of(&spread->whole, spread->dimensions) - points;
  if (missing > 0) {
    snprintf(spread->unwritable, bytes, "%lld points of the field belong to no block", (long long)missing);
  }
}

int leadline_spread_create(MPI_Comm comm, const leadline_block* block, leadline_spread** created) {
  leadline_spread* spread = calloc(1, sizeof *spread);
  *created = spread;
  if (spread == NULL) return LEADLINE_FIELDIO_FAILED; /* no way is left to tell the others */
  MPI_Comm_rank(comm, &spread->rank);
  MPI_Comm_size(comm, &spread->ranks);
  Box mine, wide;
  memset(&mine, 0, sizeof mine);
  memset(&wide, 0, sizeof wide);
  spread->blocks = calloc((size_t)spread->ranks, sizeof *spread->blocks);
  spread->wide = calloc((size_t)spread->ranks, sizeof *spread->wide);
  spread->found = calloc(2, sizeof *spread->found);
  if (spread->blocks == NULL || spread->wide == NULL || spread->found == NULL) {
    note(&spread->report, "rank %d: out of memory", spread->rank);
  }
  take_block(spread, block, &mine, &wide);
  compare_with_root(spread, comm);
  if (!agree_on(&spread->report, comm)) return LEADLINE_FIELDIO_FAILED;
  const int numbers = (int)(sizeof mine / sizeof(int64_t));
  MPI_Allgather(&mine, numbers, MPI_INT64_T, spread->blocks, numbers, MPI_INT64_T, comm);
  MPI_Allgather(&wide, numbers, MPI_INT64_T, spread->wide, numbers, MPI_INT64_T, comm);
  find_why_unwritable(spread);
  return LEADLINE_FIELDIO_OK;
}

void leadline_spread_mask(leadline_spread* spread, const unsigned char* mask, double land) {
  spread->mask = mask;
  spread->land = land;
}

const char* leadline_spread_message(const leadline_spread* spread) { return spread->report.message; }

void leadline_spread_free(leadline_spread** spread) {
  if (*spread == NULL) return;
  free((*spread)->blocks);
  free((*spread)->wide);
  free((*spread)->found);
  free(*spread);
  *spread = NULL;
}

Array array_in_memory(const leadline_spread* spread, void* values, const Box* box, size_t element) {
  Array array = {values, {0}, NULL};
  int64_t start = spread->start;
  for (int d = 0; d < spread->dimensions; ++d) {
    array.stride[d] = spread->stride[d];
    start += (box->first[d] - spread->blocks[spread->rank].first[d]) * spread->stride[d];
  }
  if (points_of(box, spread->dimensions) == 0) return array;
  array.values += start * (int64_t)element;
  if (spread->mask != NULL) array.mask = spread->mask + start;
  return array;
}

/* --- Slabs -------------------------------------------------------------------------------------------------------- */

static int64_t steps_of(const leadline_spread* spread, const Division* division) {
  return (spread->whole.count[division->along] + division->step - 1) / division->step;
}

Box slab_of(const leadline_spread* spread, const Division* division, int64_t number) {
  Box slab = spread->whole;
  const int64_t steps = steps_of(spread, division), first = number % steps * division->step;
  slab.first[division->along] = first;
  if (slab.count[division->along] - first > division->step) {
    slab.count[division->along] = division->step;
  } else {
    slab.count[division->along] -= first;
  }
  number /= steps;
  for (int d = division->along - 1; d >= 0; --d) {
    slab.first[d] = number % spread->whole.count[d];
    slab.count[d] = 1;
    number /= spread->whole.count[d];
  }
  return slab;
}

static void measure(const leadline_spread* spread, const Box* parts, Division* division) {
  division->slabs = steps_of(spread, division);
  for (int d = 0; d < division->along; ++d) division->slabs *= spread->whole.count[d];
  division->slab_points = division->part_points = 0;
  for (int64_t number = 0; number < division->slabs; ++number) {
    const Box slab = slab_of(spread, division, number);
    int64_t points = 0;
    for (int rank = 0; rank < spread->ranks; ++rank) {
      const Box part = common_box(&slab, &parts[rank], spread->dimensions);
      points += points_of(&part, spread->dimensions);
    }
    if (points > division->part_points) division->part_points = points;
    if (points_of(&slab, spread->dimensions) > division->slab_points) {
      division->slab_points = points_of(&slab, spread->dimensions);
    }
  }
}

static bool find_division(const leadline_spread* spread, const Box* parts, size_t element, size_t limit,
                          Division* division) {
  for (division->along = 0; division->along < spread->dimensions; ++division->along) {
    division->step = spread->whole.count[division->along];
    while (division->step > 0) {
      measure(spread, parts, division);
      if ((uint64_t)(division->slab_points + division->part_points) * element <= limit) return true;
      division->step = division->step == 1 ? 0 : (division->step + 1) / 2;
    }
  }
  return false;
}

bool divide(const leadline_spread* spread, const Box* parts, size_t element, size_t limit, Division* division) {
  Found* found = &spread->found[parts == spread->blocks];
  if (found->parts != parts || found->element != element || found->limit != limit) {
    *found = (Found){parts, element, limit, false, {0}};
    found->fits = find_division(spread, parts, element, limit, &found->division);
  }
  *division = found->division;
  return found->fits;
}
