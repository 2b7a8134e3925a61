#include "trace/series_codec.hpp"

namespace leadline::trace {

namespace {

// 2^(i / 12) * 2^32, rounded down.
constexpr uint64_t twelfths[levels_per_octave] = {
    4294967296, 4550359341, 4820937788, 5107605667, 5411319704, 5733093519,
    6074000999, 6435179894, 6817835603, 7223245205, 7652761716, 8107818609,
};

}  // namespace

uint64_t level_begin(uint32_t q) {
  const uint32_t octave = q / levels_per_octave;
  if (octave >= 64) return UINT64_MAX;
  return static_cast<uint64_t>((static_cast<unsigned __int128>(twelfths[q % levels_per_octave]) << octave) >> 32);
}

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
