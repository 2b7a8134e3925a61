// Codes durations and gaps: each as a level of a logarithmic scale, and that as its difference to the position's usual
// level. The models of the bits are chosen by how much the position's values vary, how far off its last value was, and
// how unusual the duration of the call just coded was. docs/reference/format.md has the definition.
#pragma once

#include <cstdint>

#include "trace/bytes.hpp"
#include "trace/range_coder.hpp"

namespace leadline::trace {

inline constexpr uint32_t polled_probability = 4096;  // that polls without a place failed before a call

inline constexpr uint32_t levels_per_octave = 12;
inline constexpr uint32_t most_level = 64 * levels_per_octave - 1;
inline constexpr uint32_t most_detail_bits = 24;

// The smallest numbers of all levels: of q, floor(2^(q / 12)), for numbers from 1 on. After the last one: no number.
struct LevelBegins {
  uint64_t of[most_level + 2];
  constexpr LevelBegins() : of() {
    // 2^(i / 12) * 2^32, rounded down.
    constexpr uint64_t twelfths[levels_per_octave] = {
        4294967296, 4550359341, 4820937788, 5107605667, 5411319704, 5733093519,
        6074000999, 6435179894, 6817835603, 7223245205, 7652761716, 8107818609,
    };
    for (uint32_t q = 0; q <= most_level; ++q) {
      const unsigned __int128 begin = static_cast<unsigned __int128>(twelfths[q % levels_per_octave])
                                      << q / levels_per_octave;
      of[q] = static_cast<uint64_t>(begin >> 32);
    }
    of[most_level + 1] = UINT64_MAX;
  }
};
inline constexpr LevelBegins level_begins;
inline uint64_t level_begin(uint32_t q) { return level_begins.of[q <= most_level ? q : most_level + 1]; }

// The level of a number of at least 1: the highest that begins at or below it.
uint32_t level_of(uint64_t number);

// The number of bits that place a number within its level: none if half the level is below the tolerance.
inline uint32_t detail_bits(uint32_t q, uint64_t tolerance) {
  const uint64_t begin = level_begin(q);
  if (begin / 32 + 1 <= tolerance) return 0;  // a level is a sixteenth wide
  const uint64_t width = level_begin(q + 1) - begin;
  if (width <= tolerance) return 0;
  // So many that the parts of the level are as long as the tolerance, if written in binary, or by one bit longer.
  int bits = __builtin_clzll(tolerance | 1) - __builtin_clzll(width);
  if (bits > 0 && width >> bits <= tolerance) --bits;
  return bits < static_cast<int>(most_detail_bits) ? static_cast<uint32_t>(bits) : most_detail_bits;
}

// The number that a reader takes for level q and n bits of detail.
inline double number_of(uint32_t q, uint32_t n, uint64_t detail) {
  const auto low = static_cast<double>(level_begin(q)), width = static_cast<double>(level_begin(q + 1)) - low;
  if (n) return low + (static_cast<double>(detail) + 0.5) * width / static_cast<double>(uint64_t{1} << n);
  // Without detail: the point in proportion equally far from both ends.
  return width > 1 ? 2 * low * (low + width - 1) / (2 * low + width - 1) : low;
}

// The typical values of a position.
struct Habit {
  int16_t mean = 0;     // level * 16
  uint16_t spread = 0;  // mean of twice the difference * 16
  int16_t last = 0;     // level
  uint16_t seen = 0;

  int32_t usual() const { return (mean + 8) >> 4; }
  uint32_t spread_class() const {
    const auto n = static_cast<uint32_t>(seen ? spread / 8 + 1 : 9);
    const uint32_t bits = 32 - static_cast<uint32_t>(__builtin_clz(n));
    return bits < 7 ? bits : 7;
  }
  void take(int32_t level) {
    const int32_t difference = level > usual() ? level - usual() : usual() - level;
    const int32_t shift = seen < 3 ? seen : 3;
    mean = static_cast<int16_t>(mean + ((level * 16 - mean) >> shift));
    spread = static_cast<uint16_t>(spread + (((difference < 30 ? difference : 30) * 32 - spread) >> shift));
    last = static_cast<int16_t>(level);
    if (seen < 3) ++seen;
  }
};

struct Habits {
  Habit duration, gap;
};

// The models of the bits, and the state that chooses them.
class SeriesModels {
 public:
  static constexpr uint32_t spreads = 8, differences = 9;
  static constexpr uint32_t longest = 10;                          // most bits in a difference's size
  static constexpr uint32_t tree = 2 + 2 * longest + 6 * longest;  // models for one difference
  static constexpr uint32_t count = 2 * 2 * spreads * differences * tree;

  explicit SeriesModels(BitModel* zeroed) : models_(zeroed) {}

  // Codes a level as its difference to the usual one.
  template <class Coder>
  int32_t code_level(Coder& coder, int32_t level, Habit* own, Habit* common, bool gap) {
    const Habit& from = own->seen ? *own : *common;
    const int32_t usual = from.usual();
    const uint32_t row = (gap ? spreads : 0) + from.spread_class();
    const uint32_t last = own->seen ? class_of(own->last - usual) : class_of(0);
    by_last_ = models_ + (row * differences + last) * tree;
    by_duration_ = models_ + ((2 * spreads + row) * differences + class_of(duration_)) * tree;
    const int32_t difference = code_difference(coder, level - usual);
    level = usual + difference;
    if (level < 0) level = 0;
    if (level > static_cast<int32_t>(most_level)) level = most_level;
    if (!gap) duration_ = difference;
    if (!own->seen) {
      *own = *common;
      own->seen = 0;
    }
    own->take(level);
    common->take(level);
    return level;
  }

 private:
  static uint32_t class_of(int32_t difference) {
    const int32_t size = difference < 0 ? -difference : difference;
    const int32_t c = size == 0 ? 0 : size < 3 ? 1 : size < 7 ? 2 : size < 16 ? 3 : 4;
    return static_cast<uint32_t>(difference < 0 ? 4 - c : 4 + c);
  }
  template <class Coder>
  uint32_t code(Coder& coder, uint32_t model, uint32_t bit) {
    BitModel &a = by_last_[model], &b = by_duration_[model];
    bit = coder.bit((a.probability() + b.probability()) / 2, bit);
    a.take(bit);
    b.take(bit);
    return bit;
  }
  // 0; else the sign, the number of bits in the size, and those bits but the first: the first two of them have models.
  template <class Coder>
  int32_t code_difference(Coder& coder, int32_t d) {
    if (code(coder, 0, d == 0)) return 0;
    const uint32_t negative = code(coder, 1, d < 0);
    const uint32_t size = static_cast<uint32_t>(d < 0 ? -d : d) | 1u >> (d != 0);
    const uint32_t bits = 31 - static_cast<uint32_t>(__builtin_clz(size));
    uint32_t n = 0;
    while (n < longest - 1 && !code(coder, 2 + negative * longest + n, n == bits)) ++n;
    const uint32_t models = 2 + 2 * longest + (negative * longest + n) * 3;
    uint32_t found = 1;
    for (uint32_t i = n; i-- > 0;) {
      const uint32_t bit = size >> i & 1;
      found = found << 1 | (i + 2 < n ? coder.bit(32768, bit) : code(coder, models + (i + 1 < n ? found - 1 : 0), bit));
    }
    return negative ? -static_cast<int32_t>(found) : static_cast<int32_t>(found);
  }

  BitModel* models_;
  BitModel *by_last_ = nullptr, *by_duration_ = nullptr;
  int32_t duration_ = 0;  // the last duration's difference
};

// Codes a number of ticks. Returns the number that will be read.
template <class Coder>
double code_ticks(Coder& coder, SeriesModels* models, uint64_t ticks, Habit* own, Habit* common, bool gap,
                  uint64_t tolerance) {
  const uint64_t number = ticks + 1;
  const auto level = static_cast<int32_t>(Coder::writes ? level_of(number) : 0);
  const auto q = static_cast<uint32_t>(models->code_level(coder, level, own, common, gap));
  const uint32_t n = detail_bits(q, tolerance);
  uint64_t detail = 0;
  if (n && Coder::writes) {
    const uint64_t width = level_begin(q + 1) - level_begin(q), within = number - level_begin(q);
    detail = within >> (64 - n) ? static_cast<uint64_t>((static_cast<unsigned __int128>(within) << n) / width)
                                : (within << n) / width;
  }
  if (n) detail = code_plain(coder, detail, n);
  return number_of(q, n, detail) - 1;
}

}  // namespace leadline::trace
