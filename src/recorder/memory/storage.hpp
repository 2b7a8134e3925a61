// The storage behind the live memory: a file that grows as its stretches come into use (recording/live_file.hpp).
// Regions are address space that can be read; a stretch gets pages of the file before it is written. The file is
// extended by many pages at a time, which are mapped at once and then moved to their places (mremap). That takes no
// file operation, each of which would be a request to a server if the file is not local.
//
// Every page is allocated before it is touched: a write to a mapped hole on a full disk would be a SIGBUS in the host.
// If the file cannot give storage, plain memory takes its place, and the state is no longer safe from a crash.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "host/own_file.hpp"
#include "recorder/library/functions.hpp"
#include "recording/live_file.hpp"
#include "recording/table.hpp"

namespace leadline::recorder {

class Storage {
 public:
  // Creates the file, whose path must stay where it is. False: it can't be made (errno says why), and all regions are
  // plain memory.
  bool create(const char* path);
  bool in_file() const { return path_ != nullptr; }

  // Address space of `bytes`, after the regions before. nullptr: not to be had.
  char* region(size_t bytes);
  // Storage for [begin, end). A page that is shared with a stretch backed before has storage already: stretches of a
  // table follow one another.
  bool back(char* begin, char* end);
  recording::Backing backing();
  // Plain memory for the page of the address, whose content is lost; false: it is none of ours. In a signal handler.
  bool replace_lost(uint64_t address);
  uint64_t* not_crash_safe = nullptr;  // counts stretches that are plain memory
  uint64_t file_limit = UINT64_MAX;    // bytes of the file that are used
  bool on_local_disk = false;          // the file; set before it is created

 private:
  struct Region {
    char* base;
    size_t bytes;
    uint64_t at;
  };
  static constexpr int max_regions = 65;

  bool extend(uint64_t pages);
  bool extend_by(int fd, uint64_t pages);
  bool list(uint64_t at, uint64_t pages);
  uint64_t place(char* target, uint64_t at, uint64_t pages);

  const char* path_ = nullptr;
  FileIdentity identity_;
  uint64_t file_pages_ = 0;
  // Pages of the file that are not in use yet: where they are mapped, and their numbers.
  char* free_ = nullptr;
  uint64_t free_pages_ = 0, first_free_ = 0;
  recording::LiveDirectory* directory_ = nullptr;  // the last one
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;

  uint64_t end_ = 0;
  Region regions_[max_regions] = {};
  std::atomic<int> count_{0};  // a region is there before it is counted: threads look for theirs without a lock
};

}  // namespace leadline::recorder
