// A damaged trace may contain any value: these sums wrap, which signed arithmetic must not.
#pragma once

#include <cstdint>

namespace leadline::analysis {

inline int64_t sum_of(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t difference_of(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
inline void add_to(int64_t& sum, int64_t n) { sum = sum_of(sum, n); }

}  // namespace leadline::analysis
