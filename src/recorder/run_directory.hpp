// Where the traces of this run go: $LEADLINE_DIR as it was when the program began. The program may change its working
// directory and its environment before it comes to MPI.
#pragma once

#include <limits.h>

namespace leadline::recorder {

inline constexpr int longest_file_name = 255;

struct FilePath {
  char text[PATH_MAX];
};

// Its absolute path; empty where nothing is to be recorded.
const char* run_directory();
// Whether the paths of its files fit the system's limits.
bool run_directory_fits();

// The path of a file in it.
void file_in_run(FilePath* path, const char* format, ...) __attribute__((format(printf, 2, 3)));

}  // namespace leadline::recorder
