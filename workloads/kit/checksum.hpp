// A 64-bit checksum over the 8-byte words of a file, quick enough for gigabytes: two runs with the same one wrote the
// same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kit {

class Checksum {
 public:
  // `bytes` must be a multiple of 8. Feeding pieces gives the same as feeding them joined.
  void feed(const void* data, size_t bytes) {
    const char* at = static_cast<const char*>(data);
    for (size_t n = 0; n < bytes; n += 8) {
      uint64_t word;
      std::memcpy(&word, at + n, 8);
      value_ = (value_ ^ word) * 0x9e3779b97f4a7c15u;  // odd, so no information is lost; its bits are well mixed
      value_ ^= value_ >> 32;
    }
  }

  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace kit
