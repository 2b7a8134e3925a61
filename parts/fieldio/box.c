#include "box.h"

#include <string.h>

#include "netcdf.h"

int64_t points_of(const Box* box, int dimensions) {
  int64_t points = 1;
  for (int d = 0; d < dimensions; ++d) points *= box->count[d];
  return points;
}

Box common_box(const Box* a, const Box* b, int dimensions) {
  Box common;
  for (int d = 0; d < dimensions; ++d) {
    const int64_t end_a = a->first[d] + a->count[d], end_b = b->first[d] + b->count[d];
    const int64_t first = a->first[d] > b->first[d] ? a->first[d] : b->first[d];
    const int64_t end = end_a < end_b ? end_a : end_b;
    common.first[d] = first;
    common.count[d] = end > first ? end - first : 0;
  }
  return common;
}

Array array_of(void* values, const Box* box, const Box* part, int dimensions, size_t element) {
  Array array = {values, {0}, NULL};
  int64_t stride = 1, start = 0;
  for (int d = dimensions - 1; d >= 0; --d) {
    array.stride[d] = stride;
    start += (part->first[d] - box->first[d]) * stride;
    stride *= box->count[d];
  }
  if (values != NULL) array.values += start * (int64_t)element;
  return array;
}

static Array moved(const Array* array, int dimension, int64_t by, size_t element) {
  Array result = *array;
  const int64_t points = by * array->stride[dimension];
  result.values += points * (int64_t)element;
  if (result.mask != NULL) result.mask += points;
  return result;
}

static void copy_row(const Array* to, const Array* from, int dimension, int64_t count, size_t element) {
  const int64_t step_to = to->stride[dimension], step_from = from->stride[dimension];
  if (to->mask == NULL && from->mask == NULL && step_to == 1 && step_from == 1) {
    memcpy(to->values, from->values, (size_t)count * element);
    return;
  }
  for (int64_t n = 0; n < count; ++n) {
    if (to->mask != NULL && to->mask[n * step_to] == 0) continue;
    if (from->mask != NULL && from->mask[n * step_from] == 0) continue;
    memcpy(to->values + n * step_to * (int64_t)element, from->values + n * step_from * (int64_t)element, element);
  }
}

static void copy_from(const Array* to, const Array* from, const Box* box, int dimension, int dimensions,
                      size_t element) {
  if (dimension == dimensions - 1) {
    copy_row(to, from, dimension, box->count[dimension], element);
    return;
  }
  for (int64_t n = 0; n < box->count[dimension]; ++n) {
    const Array next_to = moved(to, dimension, n, element), next_from = moved(from, dimension, n, element);
    copy_from(&next_to, &next_from, box, dimension + 1, dimensions, element);
  }
}

void copy_box(const Array* to, const Array* from, const Box* box, int dimensions, size_t element) {
  if (points_of(box, dimensions) > 0) copy_from(to, from, box, 0, dimensions, element);
}

/* --- Land --------------------------------------------------------------------------------------------------------- */

static void value_as(leadline_fieldio_type type, double value, char* bytes) {
  const float as_float = (float)value;
  const int32_t as_int32 = type == LEADLINE_FIELDIO_INT32 ? (int32_t)value : 0;
  const int64_t as_int64 = type == LEADLINE_FIELDIO_INT64 ? (int64_t)value : 0;
  const void* found = &value;
  if (type == LEADLINE_FIELDIO_FLOAT) found = &as_float;
  if (type == LEADLINE_FIELDIO_INT32) found = &as_int32;
  if (type == LEADLINE_FIELDIO_INT64) found = &as_int64;
  memcpy(bytes, found, bytes_of_type(type));
}

static void write_from(const Array* to, const Array* like, const Box* box, int dimension, int dimensions,
                       const char* value, size_t element) {
  for (int64_t n = 0; n < box->count[dimension]; ++n) {
    const Array next_to = moved(to, dimension, n, element), next_like = moved(like, dimension, n, element);
    if (dimension < dimensions - 1) {
      write_from(&next_to, &next_like, box, dimension + 1, dimensions, value, element);
    } else if (*next_like.mask == 0) {
      memcpy(next_to.values, value, element);
    }
  }
}

void write_land(const Array* to, const Array* like, const Box* box, int dimensions, leadline_fieldio_type type,
                double land) {
  char value[sizeof(double)];
  value_as(type, land, value);
  if (like->mask != NULL && points_of(box, dimensions) > 0) {
    write_from(to, like, box, 0, dimensions, value, bytes_of_type(type));
  }
}
