// Where a run is recorded.
#pragma once

#include <string>

namespace leadline::exec {

struct Directory {
  std::string path;               // absolute
  bool of_several = false;        // each job gets a directory of its own within it
  bool written_by_group = false;  // by one that may be more than the user's own, which only Python finds out
};

// An absolute path as Python's pathlib writes it: without "." and doubled slashes.
std::string absolute(const std::string& path);

// The directory asked for ("": none) and whether the run gets its own within it. The recorder makes that directory when
// the job begins: it knows which ranks form one job.
Directory directory_of_run(const std::string& asked);

// 0 if files can be made in the directory, or if it can be made; otherwise what the system says against it (errno).
int why_not_written(const std::string& directory);

}  // namespace leadline::exec
