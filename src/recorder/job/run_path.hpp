// The path of the directory that was chosen for this process (run_directory.hpp), and those of files in it.
#pragma once

#include <limits.h>

namespace leadline::recorder {

inline constexpr int longest_file_name = 255;

struct FilePath {
  char text[PATH_MAX];
};

extern char run_directory_path[PATH_MAX];
inline const char* run_directory() { return run_directory_path; }

// The path of a file in it.
void file_in_run(FilePath* path, const char* format, ...) __attribute__((format(printf, 2, 3)));

}  // namespace leadline::recorder
