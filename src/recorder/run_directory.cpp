#include "recorder/run_directory.hpp"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace leadline::recorder {

namespace {

char directory[PATH_MAX];
bool fits = true;

// Where the process began, whatever becomes of its environment and directory afterwards.
void look() {
  if (directory[0]) return;
  const char* text = getenv("LEADLINE_DIR");
  if (!text || !*text) return;
  size_t n = 0;
  if (text[0] != '/') {
    if (!getcwd(directory, sizeof(directory))) return;
    n = strlen(directory);
    if (n + 1 < sizeof(directory)) directory[n++] = '/';
  }
  fits = n + strlen(text) + 1 + longest_file_name < sizeof(directory);
  if (fits) strcpy(directory + n, text);
}

__attribute__((constructor(103))) void look_at_the_environment() { look(); }

}  // namespace

const char* run_directory() {
  look();  // set by the program itself, or asked for by a constructor before ours
  return directory;
}

bool run_directory_fits() { return fits; }

void file_in_run(FilePath* path, const char* format, ...) {
  size_t n = strlen(directory);
  memcpy(path->text, directory, n);
  path->text[n++] = '/';
  va_list args;
  va_start(args, format);
  vsnprintf(path->text + n, sizeof(path->text) - n, format, args);
  va_end(args);
}

}  // namespace leadline::recorder
