// Hashing of words.
#pragma once

#include <cstdint>

namespace leadline::trace {

constexpr uint64_t mix(uint64_t h, uint64_t word) {
  h = (h ^ word) * 0x9e3779b97f4a7c15ull;
  return h ^ (h >> 29);
}

// Hashes two words that are both small. mix() of one with the other would be their exclusive or, which different pairs
// share.
constexpr uint64_t hash_of_pair(uint64_t a, uint64_t b) { return mix(mix(0x2c1b3c6d, a), b); }

}  // namespace leadline::trace
