// Calls of libc on a small file without a name: reading starts again at its end, writing at its beginning.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "bench.h"

enum { file_bytes = 1 << 16, line_bytes = 16 };

static FILE* opened(void) {
  static FILE* file;
  if (file) return file;
  file = tmpfile();
  if (!file) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < file_bytes / line_bytes; ++i) fprintf(file, "%15d\n", i);
  fflush(file);
  return file;
}

static int64_t write_8(int64_t iterations) {
  const int fd = fileno(opened());
  int64_t sum = 0;
  for (int64_t i = 0; i < iterations; ++i) sum += pwrite(fd, &sum, sizeof(sum), 0);
  return sum ? iterations : 0;
}

static int64_t read_8(int64_t iterations) {
  const int fd = fileno(opened());
  int64_t sum = 0, value = 0;
  for (int64_t i = 0; i < iterations; ++i) sum += pread(fd, &value, sizeof(value), 0);
  return sum ? iterations : 0;
}

static int64_t fwrite_8(int64_t iterations) {
  FILE* const file = opened();
  rewind(file);
  for (int64_t i = 0; i < iterations; ++i) {
    if (i % (file_bytes / sizeof(i)) == 0) rewind(file);
    fwrite(&i, sizeof(i), 1, file);
  }
  return iterations;
}

static int64_t fread_8(int64_t iterations) {
  FILE* const file = opened();
  int64_t value = 0;
  rewind(file);
  for (int64_t i = 0; i < iterations; ++i) {
    if (fread(&value, sizeof(value), 1, file) == 0) rewind(file);
  }
  return iterations;
}

static int64_t fgets_16(int64_t iterations) {
  FILE* const file = opened();
  char line[2 * line_bytes];
  rewind(file);
  for (int64_t i = 0; i < iterations; ++i) {
    if (!fgets(line, sizeof(line), file)) rewind(file);
  }
  return iterations;
}

static int64_t fprintf_16(int64_t iterations) {
  FILE* const file = opened();
  for (int64_t i = 0; i < iterations; ++i) {
    if (i % (file_bytes / line_bytes) == 0) rewind(file);
    fprintf(file, "%15d\n", (int)(i & 0xffff));
  }
  return iterations;
}

static int64_t fputc_1(int64_t iterations) {
  FILE* const file = opened();
  for (int64_t i = 0; i < iterations; ++i) {
    if (i % file_bytes == 0) rewind(file);
    fputc('\n', file);
  }
  return iterations;
}

static int64_t open_close(int64_t iterations) {
  char name[64];
  snprintf(name, sizeof(name), "/proc/self/fd/%d", fileno(opened()));
  for (int64_t i = 0; i < iterations; ++i) {
    const int fd = open(name, O_RDONLY);
    if (fd >= 0) close(fd);
  }
  return 2 * iterations;
}

const Case file_cases[] = {
    {"pwrite", write_8, 20000}, {"pread", read_8, 30000},         {"fwrite", fwrite_8, 200000},
    {"fread", fread_8, 200000}, {"fgets", fgets_16, 200000},      {"fprintf", fprintf_16, 100000},
    {"fputc", fputc_1, 300000}, {"open-close", open_close, 4000}, {0, 0, 0},
};
