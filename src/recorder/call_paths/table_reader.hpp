// Reads bytes of unwind tables. They belong to the program and may be damaged, so each is checked before it is read:
// that it lies within the given bounds, and that there is memory.
#pragma once

#include <cstdint>

#include "host/readable_memory.hpp"

namespace leadline::recorder {

class TableReader {
 public:
  TableReader(host::ReadableMemory& memory, uint64_t at, uint64_t end)
      : memory_(&memory), at_(at), end_(end), ok_(at <= end) {}

  bool ok() const { return ok_; }  // false: something was beyond the bounds; all values since are 0
  uint64_t at() const { return at_; }
  uint64_t end() const { return end_; }
  bool more() const { return ok_ && at_ < end_; }

  template <class T>
  T value() {
    T value{};
    ok_ = ok_ && end_ - at_ >= sizeof(T) && memory_->read(at_, &value);
    if (ok_) at_ += sizeof(T);
    return value;
  }
  uint64_t unsigned_leb();
  int64_t signed_leb();
  // An address as an encoding of DW_EH_PE_... says. data_base: what "relative to data" refers to.
  uint64_t pointer(uint8_t encoding, uint64_t data_base = 0);
  void skip(uint64_t bytes) {
    ok_ = ok_ && end_ - at_ >= bytes;
    if (ok_) at_ += bytes;
  }
  // Takes the next `bytes` away as a reader of their own.
  TableReader part(uint64_t bytes);

 private:
  host::ReadableMemory* memory_;
  uint64_t at_, end_;
  bool ok_;
};

// Encodings of addresses. Source: Linux Standard Base, Core, "DWARF Exception Header Encoding".
inline constexpr uint8_t pointer_omitted = 0xff, pointer_indirect = 0x80;

}  // namespace leadline::recorder
