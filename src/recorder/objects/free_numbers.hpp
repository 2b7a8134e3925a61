// The numbers of freed communicators, windows and files. A new one that is just like one of them takes its number over:
// a program that makes the same ones over and over makes the same calls over and over.
#pragma once

#include <cstdint>

namespace leadline::recorder {

class FreeNumbers {
 public:
  static constexpr uint32_t capacity = 1u << 15;

  void add(uint32_t number) {
    words_[number / 64] |= bit(number);
    if (number < lowest_) lowest_ = number;
  }
  void remove(uint32_t number) { words_[number / 64] &= ~bit(number); }

  // Offers free numbers below `end` until one is taken: the latest in the table, in their order, then the others from
  // the lowest on, so that whoever frees a thousand and makes them again meets them in the same order. Those that
  // nobody takes must not cost every later object a search: only so many are offered. Returns the number taken, 0 for
  // none.
  template <class Takes>
  uint32_t first(uint32_t end, Takes takes) {
    const uint32_t from = end > recent ? end - recent : 0;
    for (uint32_t at = next(from); at < end; at = next(at + 1)) {
      if (takes(at)) return at;
    }
    uint32_t at = lowest_ = next(lowest_);
    for (uint32_t offered = 0; at < from && offered < most_offered; at = next(at + 1), ++offered) {
      if (takes(at)) return at;
    }
    return 0;
  }

 private:
  static constexpr uint32_t recent = 256, most_offered = 64;

  static uint64_t bit(uint32_t number) { return uint64_t{1} << (number % 64); }

  // The first free number from there on, `capacity` if there is none.
  uint32_t next(uint32_t from) const {
    if (from >= capacity) return capacity;
    uint32_t word = from / 64;
    uint64_t bits = words_[word] & ~uint64_t{0} << (from % 64);
    while (!bits && ++word < capacity / 64) bits = words_[word];
    return bits ? word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits)) : capacity;
  }

  uint64_t words_[capacity / 64] = {};
  uint32_t lowest_ = 0;  // none below it is free
};

}  // namespace leadline::recorder
