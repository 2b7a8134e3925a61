#include "recorder/job/run_path.hpp"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

namespace leadline::recorder {

char run_directory_path[PATH_MAX];

void file_in_run(FilePath* path, const char* format, ...) {
  size_t n = strlen(run_directory_path);
  memcpy(path->text, run_directory_path, n);
  path->text[n++] = '/';
  va_list args;
  va_start(args, format);
  vsnprintf(path->text + n, sizeof(path->text) - n, format, args);
  va_end(args);
}

}  // namespace leadline::recorder
