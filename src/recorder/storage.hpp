// The file behind the live memory. Every stretch is allocated before it is touched: a write to a mapped hole of a full
// disk would be a SIGBUS in the host. Where the file can't give storage, plain memory takes its place and the state is
// no longer safe from a crash.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "host/own_file.hpp"
#include "recorder/host.hpp"
#include "trace/table.hpp"

namespace leadline::recorder {

class Storage {
 public:
  // Creates the file, whose path must stay where it is. False: it can't be made (errno says why), and all regions are
  // plain memory.
  bool create(const char* path);
  bool in_file() const { return path_ != nullptr; }

  // Address space of `bytes`, at the end of the file. nullptr: not to be had.
  char* region(size_t bytes);
  bool back(char* begin, char* end);
  trace::Backing backing();
  uint64_t* not_crash_safe = nullptr;  // counts stretches that are plain memory
  uint64_t file_limit = UINT64_MAX;    // bytes of the file that are used

  // Keeps the file open for this thread while many stretches are asked for.
  class Open {
   public:
    explicit Open(const Storage& storage);
    ~Open();
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
    int fd() const { return fd_; }

   private:
    int fd_ = -1;
    bool outermost_ = false;
  };

 private:
  struct Mapping {
    char* base;
    size_t bytes;
    off_t offset;
  };
  static constexpr int max_regions = 65;

  const char* path_ = nullptr;
  FileIdentity identity_;
  off_t end_ = 0;
  std::atomic<uint64_t> file_bytes_{0};
  Mapping regions_[max_regions] = {};
  std::atomic<int> count_{0};  // a region is there before it is counted: threads look for theirs without a lock
};

}  // namespace leadline::recorder
