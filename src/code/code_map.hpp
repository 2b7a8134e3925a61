// What the program's process tells of its machine code.
#pragma once

#include <cstdint>

namespace leadline::code {

// Whether the instructions of the processor that this is compiled for are understood; elsewhere no code is read, and
// the order of addresses has to tell where loops are.
#if defined(__x86_64__)
inline constexpr bool reads_this_processor = true;
#else
inline constexpr bool reads_this_processor = false;
#endif

struct Range {
  uint64_t begin = 0, end = 0;
  bool has(uint64_t address) const { return address >= begin && address < end; }
};

// What is known of routines that calls lead to: whether they return, by address and by how many routines deep that was
// looked at. Every routine of a program calls the same few.
class KnownEndings {
 public:
  static constexpr unsigned slot = 3;  // instead of a depth: the address is that of a slot which names the routine

  // 1: it never returns; 0: it does; -1: not known.
  int find(uint64_t target, unsigned depth) const {
    const uint64_t known = of_[place(target, depth)];
    return known >> 1 == key(target, depth) ? static_cast<int>(known & 1) : -1;
  }
  void put(uint64_t target, unsigned depth, bool never_returns) {
    of_[place(target, depth)] = key(target, depth) << 1 | never_returns;
  }
  void forget() {
    for (uint64_t& known : of_) known = 0;
  }

 private:
  static constexpr unsigned bits = 12, places = 1u << bits;
  static uint64_t key(uint64_t target, unsigned depth) { return target << 2 | depth; }
  static uint64_t place(uint64_t target, unsigned depth) {
    constexpr uint64_t spread = 0x9e3779b97f4a7c15;  // 2^64 / the golden ratio
    return key(target, depth) * spread >> (64 - bits);
  }

  uint64_t of_[places] = {};
};

// find: the code that the unwinder knows of around an address, a routine or a part of one that was moved away.
// imported: the name of what the dynamic linker puts into a slot of memory; nullptr: it puts nothing there.
// constants: memory around an address that may be read, code or data of the program's objects.
struct CodeMap {
  bool (*find)(void* self, uint64_t address, Range* range) = nullptr;
  const char* (*imported)(void* self, uint64_t slot) = nullptr;
  void* self = nullptr;
  bool (*constants)(void* self, uint64_t address, Range* range) = nullptr;
  KnownEndings* endings = nullptr;
};

}  // namespace leadline::code
