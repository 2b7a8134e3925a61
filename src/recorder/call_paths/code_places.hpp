// The places of the program's routines in memory, from which its loops are read.
#pragma once

#include "code/routine.hpp"
#include "recorder/call_paths/frame_entry.hpp"

namespace leadline::recorder {

// Finds the routine, or the part of one, that the unwinder knows around an address. Reading one routine asks for all
// those that it calls, so what was learnt of memory is kept for some milliseconds, and as long as no object is loaded
// or unloaded: the files behind memory may be shortened at any time.
class CodeSearch {
 public:
  bool find(uint64_t address, code::Range* range);

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

// The name of the symbol that the dynamic linker puts into the slot, as it does into those that calls of other objects
// go by; nullptr: none.
const char* find_import(void*, uint64_t slot);

// The readable part of a loaded object around the address.
bool find_constants(void*, uint64_t address, code::Range* range);

}  // namespace leadline::recorder
