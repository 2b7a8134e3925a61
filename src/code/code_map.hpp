// What the program's process tells of its machine code.
#pragma once

#include <cstdint>

namespace leadline::code {

struct Range {
  uint64_t begin = 0, end = 0;
  bool has(uint64_t address) const { return address >= begin && address < end; }
};

// find: the code that the unwinder knows of around an address, a routine or a part of one that was moved away.
// imported: the name of what the dynamic linker puts into a slot of memory; nullptr: it puts nothing there.
// constants: memory around an address that may be read, code or data of the program's objects.
struct CodeMap {
  bool (*find)(void* self, uint64_t address, Range* range) = nullptr;
  const char* (*imported)(void* self, uint64_t slot) = nullptr;
  void* self = nullptr;
  bool (*constants)(void* self, uint64_t address, Range* range) = nullptr;
};

}  // namespace leadline::code
