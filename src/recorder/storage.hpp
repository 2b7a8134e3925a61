// The file behind the live memory. Every stretch is allocated before it is touched: a write to a mapped hole of a full
// disk would be a SIGBUS in the host. Where the file can't give storage, plain memory takes its place and the state is
// no longer safe from a crash.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "trace/table.hpp"

namespace leadline::recorder {

class Storage {
 public:
  // Creates the file; without one (nullptr path, or it can't be made) all regions are plain memory.
  void open(const char* path);
  void close();
  bool in_file() const { return fd_ >= 0; }

  // Address space of `bytes`, at the end of the file. nullptr: not to be had.
  char* region(size_t bytes);
  bool back(char* begin, char* end);
  trace::Backing backing();
  uint64_t* not_crash_safe = nullptr;  // counts stretches that are plain memory

 private:
  struct Mapping {
    char* base;
    size_t bytes;
    off_t offset;
  };
  static constexpr int max_regions = 65;

  int fd_ = -1;
  off_t end_ = 0;
  Mapping regions_[max_regions] = {};
  int count_ = 0;
};

}  // namespace leadline::recorder
