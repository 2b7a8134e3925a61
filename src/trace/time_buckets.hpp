// Durations counted by order of magnitude.
#pragma once

#include <cstdint>

namespace leadline::trace {

inline constexpr int time_buckets = 40;

// Bucket i holds [2^i - 1, 2^(i+1) - 1) ns; the last one holds all longer durations.
inline int time_bucket(uint64_t ns) {
  const int log2 = 63 - __builtin_clzll(ns + 1);
  return log2 < time_buckets ? log2 : time_buckets - 1;
}

// The median of the given durations, in nanoseconds, estimated from their buckets.
template <class Counts>
uint64_t median_of(const Counts& hist, uint64_t count) {
  uint64_t seen = 0;
  for (int b = 0; b < time_buckets; ++b) {
    seen += hist[b];
    if (2 * seen >= count && seen) return (uint64_t{3} << b) / 2;
  }
  return 0;
}

}  // namespace leadline::trace
