// A range coder: each bit costs as much as it is improbable, so nearly certain bits cost next to nothing. Writer and
// reader learn the probabilities from the bits themselves, in the same way. docs/reference/format.md has the
// definition.
//
// A function of a coder describes the data once: given a writer it writes its arguments, given a reader it returns the
// values written.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/bytes.hpp"

namespace leadline::trace {

inline constexpr uint32_t most_seen = 40;
struct LearningSteps {
  int32_t of[most_seen + 1] = {};
  constexpr LearningSteps() {
    for (uint32_t i = 0; i <= most_seen; ++i) of[i] = static_cast<int32_t>(65536 / (i + 2));
  }
};
inline constexpr LearningSteps learning_steps;

// The probability that a bit is 1, out of 65536; half when zeroed. It adapts quickly at first, then slower.
class BitModel {
 public:
  uint32_t probability() const { return static_cast<uint32_t>(p_ ^ 0x8000); }
  uint32_t seen() const { return seen_; }
  void take(uint32_t bit) {
    const auto target = static_cast<int32_t>(bit ? 65535 : 0);
    const auto p = static_cast<int32_t>(probability());
    p_ = static_cast<uint16_t>((p + ((target - p) * learning_steps.of[seen_] >> 16)) ^ 0x8000);
    if (seen_ < most_seen) ++seen_;
  }

 private:
  uint16_t p_ = 0;
  uint16_t seen_ = 0;
};

// Probabilities are used with 12 bits, and no bit is quite certain.
inline uint32_t share_of(uint32_t range, uint32_t probability) {
  const uint32_t p = probability >> 4;
  return (range >> 12) * (p < 16 ? 16 : p > 4080 ? 4080 : p);
}

template <class Sink>
class RangeWriter {
 public:
  static constexpr bool writes = true;
  explicit RangeWriter(Sink* out) : out_(out) {}

  uint32_t bit(uint32_t probability, uint32_t value) {
    const uint32_t ones = share_of(range_, probability);
    if (value) {
      range_ = ones;
    } else {
      low_ += ones;
      range_ -= ones;
    }
    while (range_ < 1u << 24) {
      range_ <<= 8;
      shift();
    }
    return value;
  }
  // Writes the fewest bytes that, followed by zeros, decide the bits written.
  void end() {
    int bytes = 0;
    for (uint64_t step = uint64_t{1} << 32; low_ % step; ++bytes) {
      step >>= 8;
      const uint64_t up = (low_ + step - 1) / step * step;
      if (up < low_ + range_) low_ = up;
    }
    for (; bytes >= 0; --bytes) shift();
  }

 private:
  void put(uint8_t byte) {
    if (begun_) out_->byte(byte);
    begun_ = true;  // the first byte is always zero
  }
  void shift() {
    if (low_ < 0xff000000u || low_ >> 32) {
      const auto carry = static_cast<uint8_t>(low_ >> 32);
      put(static_cast<uint8_t>(last_ + carry));
      for (; held_ > 0; --held_) put(static_cast<uint8_t>(0xff + carry));
      last_ = static_cast<uint8_t>(low_ >> 24);
    } else {
      ++held_;
    }
    low_ = (low_ & 0xffffff) << 8;
  }

  Sink* out_;
  uint64_t low_ = 0;
  uint32_t range_ = UINT32_MAX;
  uint8_t last_ = 0;
  uint64_t held_ = 0;  // bytes of ones after it, which a carry would turn into zeros
  bool begun_ = false;
};

class RangeReader {
 public:
  static constexpr bool writes = false;
  RangeReader(const uint8_t* data, size_t size) : data_(data), size_(size) {
    for (int i = 0; i < 4; ++i) code_ = code_ << 8 | next();
  }
  // False: more was read than there is.
  bool ok() const { return at_ <= size_ + 4; }

  uint32_t bit(uint32_t probability, uint32_t = 0) {
    const uint32_t ones = share_of(range_, probability);
    uint32_t value = 0;
    if (code_ < ones) {
      value = 1;
      range_ = ones;
    } else {
      code_ -= ones;
      range_ -= ones;
    }
    while (range_ < 1u << 24) {
      range_ <<= 8;
      code_ = code_ << 8 | next();
    }
    return value;
  }

 private:
  uint8_t next() {
    const size_t at = at_++;
    return at < size_ ? data_[at] : 0;
  }

  const uint8_t* data_;
  size_t size_, at_ = 0;
  uint32_t code_ = 0, range_ = UINT32_MAX;
};

// Equally probable bits, the highest first.
template <class Coder>
uint64_t code_plain(Coder& coder, uint64_t value, uint32_t bits) {
  uint64_t found = 0;
  for (uint32_t i = bits; i-- > 0;) found = found << 1 | coder.bit(32768, static_cast<uint32_t>(value >> i & 1));
  return found;
}

}  // namespace leadline::trace
