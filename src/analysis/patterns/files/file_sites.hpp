// Which call sites open, read, write and close each file. A transfer names only the open file that it is about, and
// numbers of open files are used again: which file it was follows from the order of calls.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "analysis/profile.hpp"
#include "trace/process.hpp"

namespace leadline::analysis {

struct FileUseSites {
  std::map<uint32_t, uint64_t> opens;  // by number in the profile: how often it was opened there
  std::set<uint32_t> transfers, closes;
};

class FileSites {
 public:
  // The profile has all processes.
  explicit FileSites(const Profile& profile) : profile_(profile) {}
  // The process with this index in the profile. Loops are gone through once, unless every iteration opens another file.
  // Where the parameters of its calls vary without end, only the first calls of a long run are read.
  void add(const trace::Process& process, uint32_t index);
  // The file is one of the process's, by its number there. nullptr: unknown, or no calls that are events.
  const FileUseSites* find(uint32_t process, uint32_t file) const;

 private:
  static constexpr uint64_t most_calls = uint64_t{1} << 20;  // of a process, that are looked at
  static constexpr uint64_t most_in_all = uint64_t{1} << 22;

  const Profile& profile_;
  std::map<std::pair<uint32_t, uint32_t>, FileUseSites> uses_;  // by process and file
};

}  // namespace leadline::analysis
