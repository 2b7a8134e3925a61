/* How a field is spread over the ranks, and the slabs it travels in where one rank reads or writes it. */
#ifndef LEADLINE_FIELDIO_SPREAD_H
#define LEADLINE_FIELDIO_SPREAD_H

#include "box.h"
#include "leadline_fieldio.h"
#include "report.h"

#define array_in_memory leadline_fieldio_array_in_memory_
#define divide leadline_fieldio_divide_
#define slab_of leadline_fieldio_slab_of_

/* Slabs are contiguous in the file: single indices before dimension `along`, up to `step` of that one, all of those
 * after it. */
typedef struct {
  int along;
  int64_t step;
  int64_t slabs;
  int64_t slab_points; /* the most in one */
  int64_t part_points; /* the most that all ranks' parts of one have together: halos count more than once */
} Division;

/* One that was found, and for what. */
typedef struct {
  const Box* parts;
  size_t element;
  size_t limit;
  bool fits;
  Division division;
} Found;

struct leadline_spread {
  Report report;
  int dimensions;
  int rank;
  int ranks;
  Box whole;                  /* first: 0 */
  Box* blocks;                /* of each rank, as they are written */
  Box* wide;                  /* with their halos, as they are read */
  int64_t stride[DIMENSIONS]; /* of the array in memory */
  int64_t start;              /* in it, of the block */
  int64_t array_points;
  const unsigned char* mask;
  double land;
  char unwritable[128]; /* why; empty where the blocks are all of the field, each point once */
  Found* found;         /* the last divisions: of reading, of writing */
};

/* This rank's values of the box, which lies in its block or its halo. */
Array array_in_memory(const leadline_spread* spread, void* values, const Box* box, size_t element);

/* Into slabs of which slab and parts take at most `limit` bytes together. False where not even one point does. */
bool divide(const leadline_spread* spread, const Box* parts, size_t element, size_t limit, Division* division);
Box slab_of(const leadline_spread* spread, const Division* division, int64_t number);

#endif
