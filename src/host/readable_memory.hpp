// Memory of this process that may not exist: tables of a damaged or truncated executable, or words that only unwind
// tables claim to be a stack. Reading it must not raise a signal in the program, and none of its handlers may be
// replaced to catch one. The kernel is asked instead, a page at a time.
#pragma once

#include <string.h>

#include <cstddef>
#include <cstdint>

namespace leadline::host {

// Remembers the pages it found readable, so an object of it should be short-lived.
class ReadableMemory {
 public:
  ReadableMemory() : known_(own_), count_(few) {
    for (uint64_t& page : own_) page = 0;
  }
  // Room for more pages: zeroed before the first use, and a power of two of them.
  ReadableMemory(uint64_t* known, uint64_t count) : known_(known), count_(count) {}
  ReadableMemory(const ReadableMemory&) = delete;
  ReadableMemory& operator=(const ReadableMemory&) = delete;

  bool has(uint64_t address, size_t bytes) {
    if (!bytes || address < page_bytes || address + bytes - 1 < address) return false;
    for (uint64_t page = address / page_bytes; page <= (address + bytes - 1) / page_bytes; ++page) {
      uint64_t* known = &known_[page & (count_ - 1)];
      if (*known == page) continue;
      if (!ask(page * page_bytes)) return false;
      *known = page;
    }
    return true;
  }
  template <class T>
  bool read(uint64_t address, T* value) {
    if (!has(address, sizeof(T))) return false;
    memcpy(value, reinterpret_cast<const void*>(address), sizeof(T));
    return true;
  }

 private:
  static constexpr uint64_t page_bytes = 4096;  // the smallest there is
  static constexpr unsigned few = 32;

  static bool ask(uint64_t address);

  uint64_t own_[few];
  uint64_t* known_;  // numbers of pages; 0: none, since page 0 is refused
  uint64_t count_;
};

}  // namespace leadline::host
