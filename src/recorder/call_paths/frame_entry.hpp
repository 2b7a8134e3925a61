// The entry of the unwind tables (.eh_frame, found by .eh_frame_hdr) for a place in the program's code. Nothing in the
// tables is trusted: only mapped bytes of the object are read, and never more than the search needs. Sources: Linux
// Standard Base, Core, "Exception Frames"; DWARF 5, section 6.4.
#pragma once

#include <cstdint>

#include "host/readable_memory.hpp"

struct dl_phdr_info;

namespace leadline::recorder {

// A loaded object, as far as unwinding goes. frame_header: its .eh_frame_hdr, 0: none.
struct CodeObject {
  uint64_t begin = 0, end = 0;
  uint64_t frame_header = 0;

  static CodeObject of(const dl_phdr_info& info);
  // The loaded object that has the address in one of its segments; none: `end` is 0.
  static CodeObject at(uint64_t address);
  bool has(uint64_t address) const { return address >= begin && address < end; }
};

struct FramePart {
  uint64_t begin, end;
};

// What several entries share. augmented: whether they have augmentation data.
struct FrameCommon {
  FramePart instructions;
  uint64_t code_factor;
  int64_t data_factor;
  uint32_t return_column;
  uint8_t encoding;
  bool signal, augmented;
};

// An object whose entries are looked up again and again: what was read of its tables is kept. It may be used as long as
// the memory is known to be readable.
struct FrameTable {
  CodeObject object;
  uint64_t rows = 0, row_count = 0;  // of the header's table; 0: not read, or there is none
  uint64_t common_at = 0;            // the place of the common part that was read last, 0: none
  FrameCommon common{};
};

struct FrameEntry {
  using Part = FramePart;
  Part code;    // that it is for
  Part common;  // the instructions that several entries share
  Part own;     // those for this code, which follow them
  uint64_t code_factor;
  int64_t data_factor;
  uint32_t return_column;
  bool signal;  // the code is what a signal handler returns to
};

bool find_frame_entry(FrameTable* table, uint64_t address, host::ReadableMemory& memory, FrameEntry* entry);
bool find_frame_entry(const CodeObject& object, uint64_t address, host::ReadableMemory& memory, FrameEntry* entry);

}  // namespace leadline::recorder
