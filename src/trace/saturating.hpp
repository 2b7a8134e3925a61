// Sums and products of counts that may come from a damaged file: they stop at the largest number.
#pragma once

#include <cstdint>

namespace leadline::trace {

inline uint64_t saturating_sum(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }
inline uint64_t saturating_product(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

}  // namespace leadline::trace
