// Numbers drawn from numbers, alike on all ranks.
#pragma once

#include <cstdint>

namespace leadline::bench {

inline uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace leadline::bench
