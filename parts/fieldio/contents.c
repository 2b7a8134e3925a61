/* What is in a file: dimensions, variables and attributes, defined or asked for, and values that are not spread. */
#include <stdio.h>

#include "field_file.h"

/* --- Definitions -------------------------------------------------------------------------------------------------- */

int leadline_fieldio_dimension(leadline_field_file* file, const char* name, int64_t length) {
  int number = 0;
  if (can_act(file)) check(file, file->netcdf->def_dim(file->id, name, length, &number), "dimension %s", name);
  return number;
}

int leadline_fieldio_define(leadline_field_file* file, const char* name, leadline_fieldio_type type, int dimensions,
                            const int* dimension) {
  int number = 0;
  if (!can_act(file)) return number;
  check(file, file->netcdf->def_var(file->id, name, netcdf_type(type), dimensions, dimension, &number), "variable %s",
        name);
  return number;
}

void leadline_fieldio_text(leadline_field_file* file, int variable, const char* attribute, const char* text) {
  int64_t length = 0;
  while (text[length] != '\0') ++length;
  if (!can_act(file)) return;
  check(file, file->netcdf->put_att_text(file->id, variable, attribute, length, text), "attribute %s", attribute);
}

void leadline_fieldio_number(leadline_field_file* file, const char* attribute, int64_t value) {
  const long long number = value;
  if (!can_act(file)) return;
  check(file, file->netcdf->put_att_longlong(file->id, NETCDF_GLOBAL, attribute, NETCDF_INT64, 1, &number),
        "attribute %s", attribute);
}

void leadline_fieldio_land(leadline_field_file* file, int variable, leadline_fieldio_type type, double value) {
  if (!can_act(file)) return;
  check(file, file->netcdf->put_att_double(file->id, variable, "_FillValue", netcdf_type(type), 1, &value),
        "attribute _FillValue");
}

int leadline_fieldio_end_definitions(leadline_field_file* file) {
  int before = 0;
  if (can_act(file)) {
    check(file, file->netcdf->set_fill(file->id, NETCDF_NO_FILL, &before), "cannot turn off fill values");
    check(file, file->netcdf->enddef(file->id), "cannot end its definitions");
  }
  return settle(file);
}

/* --- Questions ---------------------------------------------------------------------------------------------------- */

/* In the gathered way only the root can ask the file. */
static int tell(leadline_field_file* file, int64_t* value) {
  const int code = settle(file);
  if (code == LEADLINE_FIELDIO_OK && file->way == LEADLINE_FIELDIO_GATHERED) {
    MPI_Bcast(value, 1, MPI_INT64_T, ROOT, file->comm);
  }
  return code;
}

static bool ask_length(leadline_field_file* file, int dimension, int64_t* length) {
  return check(file, file->netcdf->inq_dimlen(file->id, dimension, length), "a dimension's length");
}

int leadline_fieldio_get_length(leadline_field_file* file, const char* dimension, int64_t* length) {
  int number = 0;
  *length = 0;
  if (can_act(file) && check(file, file->netcdf->inq_dimid(file->id, dimension, &number), "dimension %s", dimension)) {
    ask_length(file, number, length);
  }
  return tell(file, length);
}

/* The file says how many numbers there are, and the library writes them all. */
static void ask_number(leadline_field_file* file, const char* attribute, long long* found) {
  const Netcdf* netcdf = file->netcdf;
  int64_t length = 0;
  if (!check(file, netcdf->inq_attlen(file->id, NETCDF_GLOBAL, attribute, &length), "attribute %s", attribute)) return;
  if (length != 1) {
    note(&file->report, "%s: attribute %s has %lld values; expected 1", file->path, attribute, (long long)length);
    return;
  }
  check(file, netcdf->get_att_longlong(file->id, NETCDF_GLOBAL, attribute, found), "attribute %s", attribute);
}

int leadline_fieldio_get_number(leadline_field_file* file, const char* attribute, int64_t* value) {
  long long found = 0;
  if (can_act(file)) ask_number(file, attribute, &found);
  *value = found;
  return tell(file, value);
}

static void shape_as_text(int dimensions, const int64_t* sizes, char* text, size_t bytes) {
  size_t at = 0;
  snprintf(text, bytes, "of a scalar");
  for (int d = 0; d < dimensions && at < bytes; ++d) {
    at += (size_t)snprintf(text + at, bytes - at, "%s%lld", d > 0 ? "x" : "", (long long)sizes[d]);
  }
}

static void compare_shape(leadline_field_file* file, const char* name, int variable, int dimensions,
                          const int64_t* sizes) {
  int found_dimensions = 0, dimension[MOST_DIMENSIONS];
  int64_t found[MOST_DIMENSIONS];
  if (!check(file, file->netcdf->inq_varndims(file->id, variable, &found_dimensions), "variable %s", name)) return;
  if (found_dimensions > MOST_DIMENSIONS) {
    note(&file->report, "%s: variable %s has %d dimensions, at most %d are supported", file->path, name,
         found_dimensions, MOST_DIMENSIONS);
    return;
  }
  if (!check(file, file->netcdf->inq_vardimid(file->id, variable, dimension), "variable %s", name)) return;
  bool same = found_dimensions == dimensions;
  for (int d = 0; d < found_dimensions; ++d) {
    if (!ask_length(file, dimension[d], &found[d])) return;
    same = same && found[d] == sizes[d];
  }
  if (same) return;
  char is[128], wanted[128];
  shape_as_text(found_dimensions, found, is, sizeof is);
  shape_as_text(dimensions, sizes, wanted, sizeof wanted);
  note(&file->report, "%s: variable %s: expected shape %s, got %s", file->path, name, wanted, is);
}

int leadline_fieldio_variable(leadline_field_file* file, const char* name, int dimensions, const int64_t* sizes,
                              int* variable) {
  *variable = 0;
  if (can_act(file) && check(file, file->netcdf->inq_varid(file->id, name, variable), "variable %s", name)) {
    compare_shape(file, name, *variable, dimensions, sizes);
  }
  return settle(file);
}

/* --- What is not spread ------------------------------------------------------------------------------------------- */

static int64_t product(int dimensions, const int64_t* count) {
  int64_t points = 1;
  for (int d = 0; d < dimensions; ++d) points *= count[d];
  return points;
}

int leadline_fieldio_get(leadline_field_file* file, int variable, int dimensions, const int64_t* first,
                         const int64_t* count, leadline_fieldio_type type, void* values) {
  if (can_act(file)) check(file, file->netcdf->get[type](file->id, variable, first, count, values), "reading");
  const int code = settle(file);
  if (code == LEADLINE_FIELDIO_OK && file->way == LEADLINE_FIELDIO_GATHERED) {
    MPI_Bcast(values, (int)(product(dimensions, count) * (int64_t)bytes_of_type(type)), MPI_BYTE, ROOT, file->comm);
  }
  return code;
}

int leadline_fieldio_put(leadline_field_file* file, int variable, int dimensions, const int64_t* first,
                         const int64_t* count, leadline_fieldio_type type, const void* values) {
  static const int64_t nothing[MOST_DIMENSIONS];
  const bool takes_part = file->rank == ROOT || file->way == LEADLINE_FIELDIO_PARALLEL;
  if (!takes_part || !can_act(file)) return file->report.failed;
  const int64_t* mine = file->rank == ROOT || dimensions == 0 ? count : nothing;
  check(file, file->netcdf->put[type](file->id, variable, first, mine, (void*)(uintptr_t)values), "writing");
  return file->report.failed;
}
