// Hashing of text.
#pragma once

#include <cstdint>

#include "trace/hash.hpp"

namespace leadline::trace {

constexpr uint64_t hash_of_text(const char* text) {
  uint64_t hash = 0;
  for (; *text; ++text) hash = mix(hash, static_cast<unsigned char>(*text));
  return hash;
}

}  // namespace leadline::trace
