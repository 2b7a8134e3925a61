/* Boxes of points, and the copying of their values between arrays. */
#ifndef LEADLINE_FIELDIO_BOX_H
#define LEADLINE_FIELDIO_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "leadline_fieldio.h"

#define points_of leadline_fieldio_points_of_
#define common_box leadline_fieldio_common_box_
#define array_of leadline_fieldio_array_of_
#define copy_box leadline_fieldio_copy_box_
#define write_land leadline_fieldio_write_land_

enum { DIMENSIONS = LEADLINE_FIELDIO_DIMENSIONS };

typedef struct {
  int64_t first[DIMENSIONS];
  int64_t count[DIMENSIONS];
} Box;

/* Values that are those of a box, or of a larger one. Counts are of elements. */
typedef struct {
  char* values;               /* of the box's first point */
  int64_t stride[DIMENSIONS]; /* from one index to the next */
  const unsigned char* mask;  /* of the first point, with the same strides; null: no land */
} Array;

int64_t points_of(const Box* box, int dimensions);

/* With count 0 in some dimension where they have nothing in common. */
Box common_box(const Box* a, const Box* b, int dimensions);

/* Of the box `part`, in values that hold the whole of `box`. */
Array array_of(void* values, const Box* box, const Box* part, int dimensions, size_t element);

/* Land is left out where either array has a mask. */
void copy_box(const Array* to, const Array* from, const Box* box, int dimensions, size_t element);

/* Sets the points of `to` to `land` that are land by the mask of `like`. */
void write_land(const Array* to, const Array* like, const Box* box, int dimensions, leadline_fieldio_type type,
                double land);

#endif
