// The place of this process's live memory. It is in the run's directory, unless that is on a network or parallel file
// system: there, a mapped file's pages would be written to servers while the program runs, and its page faults would
// wait for them. Otherwise it is in memory or on a disk of the node, in a directory that the run's processes on this
// node share, and a file in the run's directory says where (docs/record/file-systems.md).
#pragma once

#include <cstdint>

#include "recorder/job/run_directory.hpp"
#include "recording/live_conditions.hpp"

namespace leadline::recorder {

class LiveDirectory {
 public:
  // Looks for a place; takes it if it is on the node. `host`: whose it is.
  void choose(const char* host);
  void leave();  // after the last file of this process is gone

  bool away() const { return away_; }
  bool on_local_disk() const;
  // The path of a file of the live memory.
  void file(FilePath* path, const char* stem, const char* suffix) const;
  void describe(recording::LiveConditions* into) const;

 private:
  bool take(const char* base, trace::LiveMemoryKind kind);
  bool take_over(const NodeRecord& record, const char* host);
  bool tell_where() const;

  bool away_ = false, is_new_ = false;
  trace::LiveMemoryKind kind_ = trace::LiveMemoryKind::run;
  trace::LiveMemoryReason reason_ = trace::LiveMemoryReason::none;
  uint64_t file_system_ = 0;  // of the run's directory
  uint64_t live_file_system_ = 0;
  FilePath directory_ = {}, pointer_ = {};
};

}  // namespace leadline::recorder
