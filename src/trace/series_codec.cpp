#include "trace/series_codec.hpp"

namespace leadline::trace {

uint32_t level_of(uint64_t number) {
  // The level of the smallest number with the same leading bits is at most one or two below.
  static constexpr uint8_t within[32] = {0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 4,  5,  5,  5,  6,  6,
                                         7, 7, 7, 8, 8, 8, 9, 9, 9, 9, 10, 10, 10, 11, 11, 11};
  const auto zeros = static_cast<uint32_t>(__builtin_clzll(number | 1));
  const uint64_t leading = (number | 1) << zeros >> 58 & 31;
  uint32_t q = (63 - zeros) * levels_per_octave + within[leading];
  while (q > 0 && level_begin(q) > number) --q;
  while (q < most_level && level_begin(q + 1) <= number) ++q;
  return q;
}

}  // namespace leadline::trace
