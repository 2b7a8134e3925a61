// A 64-bit fingerprint of values spread over ranks: the sum of a hash of each value and its place. It does not depend
// on who holds which value, so two runs have the same one where all their values are the same bits.
#pragma once

#include <bit>
#include <cstdint>

namespace kit {

class Fingerprint {
 public:
  // place: the value's number in the whole field, the same however it is cut.
  void add(uint64_t place, double value) { sum_ += mix(mix(place + 1) ^ std::bit_cast<uint64_t>(value)); }

  // Those of several ranks are added (MPI_UINT64_T, MPI_SUM).
  uint64_t value() const { return sum_; }

 private:
  // The finaliser of MurmurHash3: every bit of the input reaches every bit of the result.
  static uint64_t mix(uint64_t word) {
    word = (word ^ (word >> 33)) * 0xff51afd7ed558ccdu;
    word = (word ^ (word >> 33)) * 0xc4ceb9fe1a85ec53u;
    return word ^ (word >> 33);
  }

  uint64_t sum_ = 0;
};

}  // namespace kit
