/* Reads a NetCDF file by leadline_fieldio as a program would that does not know what it holds; "make FILE" makes one.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "leadline_fieldio.h"

enum { WIDE = 6, HIGH = 5 };

static void make(const char* path, const leadline_fieldio_options* options) {
  leadline_field_file* file = NULL;
  leadline_fieldio_create(MPI_COMM_SELF, path, options, &file);
  const int x = leadline_fieldio_dimension(file, "x", WIDE), y = leadline_fieldio_dimension(file, "y", HIGH);
  const int dimensions[] = {y, x};
  const int field = leadline_fieldio_define(file, "field", LEADLINE_FIELDIO_DOUBLE, 2, dimensions);
  const int number = leadline_fieldio_define(file, "number", LEADLINE_FIELDIO_INT32, 1, dimensions);
  leadline_fieldio_text(file, field, "units", "K");
  leadline_fieldio_number(file, "step", 42);
  leadline_fieldio_end_definitions(file);
  double values[HIGH * WIDE];
  for (int i = 0; i < HIGH * WIDE; ++i) values[i] = i;
  const int numbers[HIGH] = {1, 2, 3, 4, 5};
  const int64_t first[] = {0, 0}, count[] = {HIGH, WIDE};
  leadline_fieldio_put(file, field, 2, first, count, LEADLINE_FIELDIO_DOUBLE, values);
  leadline_fieldio_put(file, number, 1, first, count, LEADLINE_FIELDIO_INT32, numbers);
  if (leadline_fieldio_close(file)) fprintf(stderr, "%s\n", leadline_fieldio_message(file));
  leadline_fieldio_free(&file);
}

static void use(const char* path, const leadline_fieldio_options* options) {
  leadline_field_file* file = NULL;
  int64_t wide = 0, high = 0, step = 0;
  int wrong = leadline_fieldio_open(MPI_COMM_SELF, path, options, &file);
  wrong += leadline_fieldio_get_length(file, "x", &wide) + leadline_fieldio_get_length(file, "y", &high);
  wrong += leadline_fieldio_get_number(file, "step", &step);
  const int64_t first[] = {0, 0}, count[] = {HIGH, WIDE};
  int variable = 0;
  double values[HIGH * WIDE] = {0};
  int numbers[HIGH] = {0};
  if (!leadline_fieldio_variable(file, "field", 2, count, &variable)) {
    wrong += leadline_fieldio_get(file, variable, 2, first, count, LEADLINE_FIELDIO_DOUBLE, values);
  }
  if (!leadline_fieldio_variable(file, "number", 1, count, &variable)) {
    wrong += leadline_fieldio_get(file, variable, 1, first, count, LEADLINE_FIELDIO_INT32, numbers);
  }
  wrong += leadline_fieldio_close(file);
  printf("%d errors; %s\n", wrong, leadline_fieldio_message(file));
  leadline_fieldio_free(&file);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  leadline_fieldio_options options;
  memset(&options, 0, sizeof options);
  options.way = LEADLINE_FIELDIO_SERIAL;
  if (argc == 3 && strcmp(argv[1], "make") == 0) make(argv[2], &options);
  for (int i = 1; i < argc && strcmp(argv[1], "make") != 0; ++i) use(argv[i], &options);
  MPI_Finalize();
  return 0;
}
