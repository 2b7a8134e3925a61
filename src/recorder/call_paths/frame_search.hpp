// Looks up entries of the unwind tables again and again. What was learnt of memory is kept for some milliseconds, and
// as long as no object is loaded or unloaded: the files behind memory may be shortened at any time.
#pragma once

#include <cstdint>

#include "host/readable_memory.hpp"
#include "recorder/call_paths/frame_entry.hpp"

namespace leadline::recorder {

class FrameSearch {
 public:
  // The entry for the address, in the loaded object that has it. False: there is none, or memory cannot be read.
  bool find(uint64_t address, FrameEntry* entry);
  // To read what the entry names.
  host::ReadableMemory memory() { return {pages_, most_pages}; }
  void forget();

 private:
  static constexpr unsigned most_objects = 8, most_pages = 1024;

  void forget_what_is_old();
  FrameTable* table_of(uint64_t address);

  int64_t since_ns_ = 0;
  unsigned long long loaded_ = 0, unloaded_ = 0;  // objects so far
  unsigned next_ = 0;                             // place of the next table
  FrameTable tables_[most_objects] = {};
  uint64_t pages_[most_pages] = {};
};

}  // namespace leadline::recorder
