// Whether a path is a regular file, or leads to one.
#pragma once

#include <sys/stat.h>

#include <string>

namespace leadline::exec {

inline bool is_file(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace leadline::exec
