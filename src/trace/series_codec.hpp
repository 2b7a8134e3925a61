// Durations and gaps as bits: a level of a logarithmic scale, as the difference to what its position usually has, in
// Rice's code with a parameter that follows the position's spread. docs/format.md has the definition.
#pragma once

#include <cstdint>

#include "trace/bytes.hpp"

namespace leadline::trace {

inline constexpr uint32_t levels_per_octave = 12;
inline constexpr uint32_t most_level = 64 * levels_per_octave - 1;
inline constexpr uint32_t longest_unary = 16;  // ones; then the difference itself
inline constexpr uint32_t plain_bits = 12;     // of such a difference
inline constexpr uint32_t most_detail_bits = 24;

// The least number of level q: floor(2^(q / 12)), for numbers from 1 on.
uint64_t level_begin(uint32_t q);
// The level a number of at least 1 belongs to: the highest that begins at or below it.
uint32_t level_of(uint64_t number);

// How many bits tell where in its level a number is: none where half the level is below the tolerance.
inline uint32_t detail_bits(uint32_t q, uint64_t tolerance) {
  const uint64_t begin = level_begin(q);
  if (begin / 32 + 1 <= tolerance) return 0;  // a level is a sixteenth wide
  const uint64_t width = level_begin(q + 1) - begin;
  uint32_t bits = 0;
  while (bits < most_detail_bits && (width >> (bits + 1)) > tolerance) ++bits;
  return bits;
}

// The number a reader takes for level q, and (of n) bits of detail.
inline double number_of(uint32_t q, uint32_t n, uint64_t detail) {
  const auto low = static_cast<double>(level_begin(q)), width = static_cast<double>(level_begin(q + 1)) - low;
  if (n) return low + (static_cast<double>(detail) + 0.5) * width / static_cast<double>(uint64_t{1} << n);
  // Without: that from which both ends are as far, in proportion.
  return width > 1 ? 2 * low * (low + width - 1) / (2 * low + width - 1) : low;
}

// What a position's values have been like.
struct Habit {
  int16_t mean = 0;     // level * 16
  uint16_t spread = 0;  // mean of the zigzag difference * 16
  uint16_t seen = 0;

  uint32_t parameter() const {
    const uint32_t thirds = seen ? spread / 24u : 16u;
    return thirds ? 32 - static_cast<uint32_t>(__builtin_clz(thirds)) : 0;
  }
  int32_t usual() const { return (mean + 8) >> 4; }
  void take(int32_t level, uint32_t difference) {
    const int32_t shift = seen < 3 ? seen : 3;
    mean = static_cast<int16_t>(mean + ((level * 16 - mean) >> shift));
    const int32_t to = static_cast<int32_t>(difference < 255 ? difference : 255) * 16;
    spread = static_cast<uint16_t>(spread + ((to - spread) >> (seen ? shift : 0)));
    if (seen < 3) ++seen;
  }
};

struct Habits {
  Habit duration, gap;
};

// Bits, the lowest of a byte first.
class BitReader {
 public:
  BitReader(const uint8_t* data, size_t size) : data_(data), bits_(uint64_t{size} * 8) {}
  bool ok() const { return at_ <= bits_; }
  uint32_t bit() {
    if (at_ >= bits_) {
      at_ = bits_ + 1;
      return 0;
    }
    const uint32_t b = data_[at_ / 8] >> (at_ % 8) & 1;
    ++at_;
    return b;
  }
  uint64_t bits(uint32_t n) {
    uint64_t v = 0;
    for (uint32_t i = 0; i < n; ++i) v |= uint64_t{bit()} << i;
    return v;
  }

 private:
  const uint8_t* data_;
  uint64_t bits_;
  uint64_t at_ = 0;
};

// `common`: of all positions, from which a position begins.
double read_ticks(BitReader& in, Habit* own, Habit* common, uint64_t tolerance);

template <class Sink>
class BitWriter {
 public:
  explicit BitWriter(Sink* out) : out_(out) {}
  void bits(uint64_t value, uint32_t n) {  // n at most 32
    pending_ |= (value & ((uint64_t{1} << n) - 1)) << count_;
    for (count_ += n; count_ >= 8; count_ -= 8, pending_ >>= 8) out_->byte(static_cast<uint8_t>(pending_));
  }
  void end() {
    if (count_) out_->byte(static_cast<uint8_t>(pending_));
    pending_ = count_ = 0;
  }

 private:
  Sink* out_;
  uint64_t pending_ = 0;
  uint32_t count_ = 0;
};

// Returns what will be read.
template <class Sink>
double write_ticks(BitWriter<Sink>* out, uint64_t ticks, Habit* own, Habit* common, uint64_t tolerance) {
  const uint64_t number = ticks + 1;
  const auto level = static_cast<int32_t>(level_of(number));
  Habit& from = own->seen ? *own : *common;
  const auto difference = static_cast<uint32_t>(zigzag(level - from.usual()));
  const uint32_t k = from.parameter();
  if (const uint32_t high = difference >> k; high < longest_unary) {
    out->bits((uint64_t{1} << high) - 1, high + 1);
    out->bits(difference, k);
  } else {
    out->bits((uint64_t{1} << longest_unary) - 1, longest_unary);
    out->bits(difference, plain_bits);
  }
  const auto q = static_cast<uint32_t>(level);
  const uint32_t n = detail_bits(q, tolerance);
  uint64_t detail = 0;
  if (n) {
    const uint64_t width = level_begin(q + 1) - level_begin(q);
    detail = static_cast<uint64_t>((static_cast<unsigned __int128>(number - level_begin(q)) << n) / width);
    out->bits(detail, n);
  }
  if (!own->seen) *own = *common;
  own->take(level, difference);
  common->take(level, difference);
  return number_of(q, n, detail) - 1;
}

}  // namespace leadline::trace
