// The places of the program's routines in memory, from which its loops are read.
#pragma once

#include "code/routine.hpp"
#include "recorder/call_paths/frame_search.hpp"

namespace leadline::recorder {

// Finds the routine, or the part of one, that the unwinder knows around an address.
class CodeSearch {
 public:
  bool find(uint64_t address, code::Range* range);

 private:
  FrameSearch search_;  // reading one routine asks for all those that it calls
};

// The name of the symbol that the dynamic linker puts into the slot, as it does into those that calls of other objects
// go by; nullptr: none.
const char* find_import(void*, uint64_t slot);

// The readable part of a loaded object around the address.
bool find_constants(void*, uint64_t address, code::Range* range);

}  // namespace leadline::recorder
