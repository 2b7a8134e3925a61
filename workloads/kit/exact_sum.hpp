// Sums that do not depend on the order of their terms, nor on which rank adds which of them.
//
// Every term is rounded once to a multiple of 2^-48 and added as a 128-bit integer, so the sum is exact. A term must be
// less than 2^14 in magnitude. A term that is not a number shows as an absurdly large sum, never as zero.
#pragma once

#include <array>
#include <cstdint>

namespace kit {

class ExactSum {
 public:
  __extension__ using Integer = __int128;

  void add(double term) { value_ += static_cast<int64_t>(term * scale); }

  ExactSum& operator+=(const ExactSum& other) { return value_ += other.value_, *this; }
  ExactSum operator-(const ExactSum& other) const { return ExactSum(value_ - other.value_); }
  bool operator==(const ExactSum&) const = default;
  ExactSum() = default;

  double value() const { return static_cast<double>(value_) / scale; }

  // The sum as two 64-bit integers for a message: limbs of several ranks may be added one by one (MPI_SUM, up to 2^31
  // of them) and then put together again.
  using Limbs = std::array<int64_t, 2>;
  Limbs limbs() const { return {static_cast<int64_t>(value_ >> 32), static_cast<int64_t>(value_ & 0xffffffff)}; }
  explicit ExactSum(const Limbs& limbs) : value_(static_cast<Integer>(limbs[0]) * (int64_t{1} << 32) + limbs[1]) {}

 private:
  static constexpr double scale = 281474976710656.0;  // 2^48

  explicit ExactSum(Integer value) : value_(value) {}

  Integer value_ = 0;
};

}  // namespace kit
