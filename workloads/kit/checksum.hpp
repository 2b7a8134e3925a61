// A 64-bit checksum over the 8-byte words of a file, quick enough for gigabytes: two runs with the same one wrote the
// same bytes.
//
// It is a sum over the words, each mixed with its place, so that several ranks can each add what they have of the file,
// in any order; the sum of their values is the file's. The mixing function is splitmix64's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kit {

class Checksum {
 public:
  // `count` words, the first of which is the file's `place`-th, counted from 0.
  void feed(uint64_t place, const void* words, size_t count) {
    const char* at = static_cast<const char*>(words);
    for (size_t n = 0; n < count; ++n) {
      uint64_t z;
      std::memcpy(&z, at + 8 * n, 8);
      z += (place + n + 1) * 0x9e3779b97f4a7c15u;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      value_ += z ^ (z >> 31);
    }
  }

  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0;
};

}  // namespace kit
